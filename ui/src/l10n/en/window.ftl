# Every text of the window. Sentence case, plain verbs, no exclamation marks; a no-break space before a unit.

## Frame, sidebar, status bar

app-name = Gatehouse
window-title = { $title } - Gatehouse
sidebar-label = Sessions
sidebar-open = Show sessions
sidebar-open-needed = Show sessions, another one needs you
sidebar-find = Search
key-find = Ctrl K
group-needs-you = Needs you
group-running = Running
group-done-today = Done today
group-earlier = Earlier
session-new = New session
session-new-failed = No session was opened. { $reason }
session-untitled = New session
session-unread = { $count } new
session-waits-for-input = Needs input: { $command }
no-session = No sessions yet
no-session-how = Open one and say what should be done, or start a command with !
pane-close = Close
handle-sidebar = Width of the sessions
handle-rail = Width of the processes
rail-label = Processes
rail-open = Show processes
rail-processes = Processes
stop = Stop
key-stop = Esc
stop-failed = Not stopped. { $reason }
turn-stopped-reaping = { $count ->
    [one] Turn stopped. One process is being stopped.
   *[other] Turn stopped. { $count } processes are being stopped.
}
approvals-ask = Ask first
approvals-off = Never ask
gateway-opening = Opening
gateway-running = Gateway running
gateway-retrying = Gateway not answering, retrying in { $seconds } s
gateway-trying = Gateway not answering, trying now
gateway-try-now = Try now
gateway-away = The gateway does not answer yet
gateway-away-how = Gatehouse asks again by itself. If it stays like this, start the gateway on its computer.
gateway-away-how-app = Gatehouse asks again by itself. If it stays like this, quit Gatehouse and open it again.
gateway-no-data = Gatehouse cannot use its data
gateway-no-data-retrying = Gateway not started, retrying in { $seconds } s
gateway-no-data-trying = Gateway not started, trying now
gateway-closed = Gateway closed to this window
restart-counting = Restarting in { $seconds } s.
restart-turns = { $count ->
    [one] 1 turn is still at work.
   *[other] { $count } turns are still at work.
}
restart-words = What you write now is answered afterwards.
restart-now = Restart now
restart-away = Restarting
connection-closed = This window is not connected.
connection-open-again = Open again
status-need = { $count ->
    [one] 1 needs you
   *[other] { $count } need you
}
status-processes = { $count ->
    [0] No processes
    [one] 1 process
   *[other] { $count } processes
}

## Transcript list

transcript-label = Transcript
transcript-opening = Opening { $count } items
transcript-failed = This transcript could not be read
transcript-more-failed = More of this transcript could not be read.
transcript-again = Read again
transcript-empty = Nothing here yet
transcript-empty-how = Say what should be done, or start a command with !
transcript-empty-chat = Say something, or start a command with !
starter-note = Starter model: it chats a little; it can't run commands and gets facts wrong.
model-loading = Loading the model
model-loading-now = Loading the model, { $percent } %
transcript-unread = { $count } new since { $since }
transcript-jump = Jump to latest
transcript-jump-new = { $count } new, jump to latest
transcript-jump-rail = Your messages

## Prose: code, tables, links, images

md-done = Done
md-open = Not done
md-table = Table
code-plain = Text
code-label = Code, { $name }
copy = Copy
copied = Copied
copy-refused = Not copied
link-goes-to = The link goes to { $url }.
link-open = Open in browser
link-copy = Copy address
image = Image
image-named = Image: { $alt }
image-from = From { $host }, not loaded
image-load = Load image
image-again = Try again
image-loading = Loading from { $host }
image-failed = { $host } gave no image: { $reason }
image-refused = Not loaded: its address is no web address.

## Transcript entries

author-you = You
author-model = Model
human-steered = Sent while the turn ran
human-all-lines = Show all { $lines } lines
human-all = Show all of it
human-fold = Show less
reasoning = Reasoning
reasoning-now = Thinking
reasoning-done = Thought about it
failed-turn = Failed turn
failed-turn-no-reason = No answer, and no reason was given. Your message is kept.
retry = Retry
retry-sent = Trying again.
open-process = Open process
run-again = Run again
ask-agent = Ask the agent
ask-agent-quote = { $command }: { $outcome }
ask-agent-about = What happened here, and what should be done?

## Task cards

task-output = Output
system-more = What came with it
output-shown = Showing { $shown } of { $total }
output-none = No output
output-lines =
    { $lines ->
        [one] 1 line
       *[other] { $lines } lines
    }
task-needs-you = needs you
task-cancelled = Cancelled
task-not-run = Not run
task-denied = denied
task-waiting = waiting
task-failed = failed
task-matches = { $count ->
    [one] 1 match
   *[other] { $count } matches
}
task-started = Started
task-run-will = Will run
task-run-asks = Asks to run
task-run-now = Running
task-run-past = Ran
task-read-will = Will read
task-read-asks = Asks to read
task-read-now = Reading
task-read-past = Read
task-edit-will = Will edit
task-edit-asks = Asks to edit
task-edit-now = Editing
task-edit-past = Edited
task-search-will = Will search
task-search-asks = Asks to search
task-search-now = Searching
task-search-past = Searched
task-list-will = Will list its processes
task-list-asks = Asks to list its processes
task-list-now = Listing its processes
task-list-past = Listed its processes
task-look-will = Will look at
task-look-asks = Asks to look at
task-look-now = Looking at
task-look-past = Looked at
task-wait-will = Will wait for
task-wait-asks = Asks to wait for
task-wait-now = Waiting for
task-wait-past = Waited for
task-kill-will = Will stop
task-kill-asks = Asks to stop
task-kill-now = Stopping
task-kill-past = Stopped
task-other-will = Will use
task-other-asks = Asks to use
task-other-now = Using
task-other-past = Used

## Machine notes

machine-note = Machine note
note-label = Machine note: { $what }
note-after = after { $duration }
note-attempts = { $count } attempts, the last one { $outcome }
note-finished-many = { $count } background processes finished
note-reports-many = { $count } reports
note-watch-hit = wrote what was watched for
note-watch-wrote = wrote "{ $pattern }"
note-watch-over = watching stopped
note-watch-paused = watching paused
note-watch-resumed = watching goes on
note-watch-number =
    { $count ->
        [one] Hit { $number } of its watch, 1 line.
       *[other] Hit { $number } of its watch, { $count } lines.
    }
note-watch-held =
    { $count ->
        [one] 1 match before was not told.
       *[other] { $count } matches before were not told.
    }
note-watch-too-often = It matched again and again within 15 seconds. It runs on, and its end is told.
note-watch-spent = It was told as often as a watch may be. It runs on, and its end is told.
note-watch-paused-why = The watches of all processes together told too much, so for 30 seconds they tell nothing.
note-still-running = still running
note-beats = { $count } signs of life in { $duration }
note-beat-number = Sign of life { $number }.
note-task-failed = failed
note-started-by-turn = Started by turn { $turn }.
note-started-by-you = Started by you.
note-no-output = It wrote nothing.
note-tail-shown = Showing the last { $shown } of { $total }.
note-all-shown = All { $total } of output is here.
note-all-lines = Show { $count } lines
note-last-line = Show the last line
note-started-again = Started again.
note-not-started = Not started: { $reason }

## Approvals

approval-question = Allow this command?
approval-until = No answer by { $time } means no
approval-command = Command
approval-in = Runs in
approval-show-lines = Show all { $lines } lines first
approval-show-all = Show all of it first
approval-allow-once = Allow once
approval-deny = Deny
approval-closed = Too late: the question was already answered, or its time was over.
approval-not-sent = Not answered: { $reason }
approval-allowed = Allowed once
approval-allowed-at = Allowed once by you, { $time }
approval-denied = Denied
approval-denied-at = Denied by you, { $time }
approval-expired = No answer, so not run
approval-withdrawn = No longer asked

## Processes

process-starting = starting
process-running = running
process-ready = ready
process-quiet = quiet
process-needs-input = needs input
process-stopping = stopping
process-exited = exited { $code }
process-signalled = ended by { $signal }
process-exit-unknown = ended, exit code unknown
process-lost = lost, exit code unknown
process-failed-start = not started
process-stopped = stopped
process-stopped-user = stopped by you
process-stopped-agent = stopped by the agent
process-stopped-turn-timeout = stopped, its turn timed out
process-stopped-turn-stop = stopped with its turn
process-stopped-new-session = stopped for a new session
process-stopped-disconnect = stopped, its client went away
process-stopped-limit = stopped at a limit
process-stopped-quit = stopped when Gatehouse quit
process-left-behind = { $outcome }, { $count } still running
process-last-output = output { $age } ago
process-in-tree = { $count } in tree
process-in-session = in { $title }
process-no-output = no output yet
process-stop = Stop
process-stop-label = Stop { $command }
process-kill-now = Kill now
process-kill-now-in = Kill now, { $seconds } s
process-scope-all = All sessions
process-scope-session = This session
process-group-live = Live processes
process-ended-today = Ended today
process-ended-earlier = Ended earlier
process-show-ended = Show { $count } more
process-none = No processes yet
process-none-how = Start one with !npm run dev or ask the agent.
process-none-chat = Start one with !npm run dev.
process-detail = Process { $command }
fact-command = Command
fact-folder = Folder
fact-started = Started
fact-started-by-you = { $time }, by you
fact-started-by-turn = { $time }, turn { $turn }
fact-pid = Process
fact-none = none
fact-ended = Ended
fact-ended-after = { $time }, after { $duration }
fact-cause = Cause
fact-id = Id
fact-watched = Watch
fact-matches = { $count ->
    [one] 1 line matched
   *[other] { $count } lines matched
}
fact-escape = Some of its tree may live on where nobody can see it.
output-paused =
    { $lines ->
        [0] Paused. Follow
        [one] Paused, 1 new line. Follow
       *[other] Paused, { $lines } new lines. Follow
    }
output-last-lines = Showing the last { $lines } lines of { $total }
output-dropped = { $size } dropped here
output-skipped = { $size } not shown here
output-nothing = It has written nothing yet.
output-trouble = The output cannot be read: { $reason }
process-stop-failed = Not stopped: { $reason }
survivors =
    { $count ->
        [one] 1 process survived the stop
       *[other] { $count } processes survived the stop
    }
survivors-who =
    { $count ->
        [one] { $pids } ignores every signal so far.
       *[other] { $pids } ignore every signal so far.
    }
survivors-hold =
    { $count ->
        [one] It still holds { $ports }.
       *[other] They still hold { $ports }.
    }
survivors-ports =
    { $count ->
        [one] port { $ports }
       *[other] ports { $ports }
    }
survivors-kill =
    { $count ->
        [one] Kill it
        [2] Kill both
       *[other] Kill all { $count }
    }
type-line = Type a line
type-none = No input: it runs without a terminal.
type-line-label = Type into { $command }

## Composer, queue, status strip

composer-placeholder = Message, or ! to run a command
composer-label = Message
composer-hint-running = Enter queues, Ctrl Enter steers now
composer-send = Send
composer-queue = Queue
queue-label = Queued messages
queued = Queued
queue-many = { $count } queued
stack-processes = Processes
stack-rest = and { $count } more in the process list
send-again = Send again
run-anyway = Run anyway
unsent = Not sent.
unsent-blocked = Not run.
unsent-start-failed = Not started.
unsent-limit = Not started: too many processes are running.
unsent-store = Not kept.
unsent-shutting-down = Not sent: the gateway is shutting down.
unsent-unreachable = Not sent: the gateway does not answer.
unsent-dismiss = Dismiss
