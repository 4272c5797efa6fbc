## The list of processes
process-standing = Which of them
process-standing-any = Any state
process-standing-live = Live
process-standing-needs = Needs input
process-standing-ended = Ended
process-standing-failed = Failed
process-filter = Find a process
process-filter-title = Find a process by its command, folder, session, id or port
process-found = { $found } of { $all }
process-sort-cpu = Processor
process-sort-memory = Memory
process-none-fits = No process is like that
process-show-all = Show all
process-survived =
    { $count ->
        [one] 1 survived
       *[other] { $count } survived
    }
process-survivors =
    { $count ->
        [one] { $pids } still runs
       *[other] { $pids } still run
    }
process-left = { $count } left

## The open process
process-open-port = Open port { $port } in the browser
process-restart = Restart
process-restart-now = Restart without waiting
process-more = More
process-copy-id = Copy its id
process-end-input = End its input
process-stop-all =
    { $count ->
        [one] Stop the process of this session
       *[other] Stop all { $count } processes of this session
    }
process-close = Close this view
fact-restart = Restart
fact-no-terminal = No terminal could be made this time: it runs without one.
fact-restart-of = Of the one started { $time }
output-find = Find in the output
output-follow = Follow the end
output-pause = Pause
output-copy = Copy the output
output-copied = Copied { $size }
output-larger = Fill the window
output-smaller = Back to the rail
output-paused-bytes = Paused, { $size } new. Follow
link-leave = Leave it
type-secret = Password
type-secret-label = Password for { $command }
type-secret-where = It goes to the program only. It is not kept, and not in the transcript.

## The terminal
terminal-label = Terminal of { $command }
terminal-keys = Every key goes to the program. Ctrl Shift J leaves
terminal-reader = Help a screen reader

## In the palette
action-restart-process = Restart process { $command }

## The letters of the list, in the map of the keys
list-keys = In the list of processes
list-key-down = Next process
list-key-up = Process before
list-key-attach = Go into its output
list-key-detach = Close its view
list-key-stop = Stop
list-key-kill = Kill at once
list-key-restart = Restart, or run again
list-key-restart-now = Restart without waiting
list-key-type = Type a line
list-key-follow = Follow the end, or pause
list-key-filter = Find a process
list-key-open = Open its port
list-key-copy = Copy its command
list-key-mute = Mute, or unmute
list-key-zoom = Fill the window
