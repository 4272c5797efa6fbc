## The palette
palette = Palette
palette-label = Find an action, a session, or words
palette-placeholder = Find an action, a session, or words
palette-actions = Actions
palette-go = Go to
palette-transcripts = In transcripts
palette-settings = Settings: { $section }
palette-none = Nothing found for "{ $wanted }".
palette-not-searched = Transcripts were not searched. { $reason }

## What can be done from anywhere
action-stop-turn = Stop this turn
action-new-session = New session
action-next-needed = Next that needs you
action-mute-session = Mute this session
action-unmute-session = Unmute this session
action-find-here = Find in this session
action-copy-session = Copy this transcript
action-archive-session = Move this session to earlier
action-stop-process = Stop process { $command }
action-stop-processes = Stop every process in this session
action-sidebar = Show or hide the sessions
action-rail = Show or hide the processes
action-processes = Go to the processes
action-density = Change how much of a turn is open
action-key-map = Show the keys
action-new-window = New window
action-quit = Quit Gatehouse
action-restart = Restart the gateway
action-try-now = Try the gateway now
action-notices = Show the notices
action-settings = Settings
action-ask = Ask before every command
action-risky = Ask before risky commands only
action-theme-light = Light theme
action-theme-dark = Dark theme
action-theme-system = Theme of the system
action-model = Answer with { $model }
action-copied = Transcript copied
action-no-session = No session is open
action-no-turn = No turn is running
action-nobody-needed = Nobody needs you
action-no-processes = Nothing runs here
action-is-so = It is so already
trouble-dismiss = Put away

## Finding in a transcript
find-label = Find in this session
find-place = { $at } of { $count }
find-place-more = { $at } of { $count } or more
find-failed = Not searched. { $reason }
find-none = Nothing found
find-previous = Earlier place
find-next = Later place
find-close = Close

## The keys
keys-title = Keys
keys-close = Close

## The header
model-menu = Model
model-unset = No model
model-more = More in Settings
model-here = { $provider }, on this computer
model-starter-here = on this computer, chats a little, no tools
approvals-menu = When to ask
approvals-risky = Risky only
approvals-ask-detail = Before every command of the agent
approvals-risky-detail = Before commands that could do damage
approvals-off-detail = Never. The agent runs what it wants

## Notices
notices = Notices
notices-close = Close the notices
notices-quiet = Quiet for 1 hour
notices-unquiet = End the quiet
notices-quiet-until = Quiet until { $time }
notices-read-all = Mark all read
notices-question = Allow a command
notices-input = Needs input
notices-long = { $lines ->
    [one] It is long: read it to its end first, or open it.
   *[other] It has { $lines } lines: read it to its end first, or open it.
}
notices-open = Open
notices-folded = { $count } finished without errors
notices-since = since { $time }
notices-muted = { $title } is muted
notices-none = Nobody needs you.
notices-none-how = Approvals and questions will show up here, and what has ended.
notices-problem = { $reason }
status-notices = { $count ->
    [0] Notices
    [one] Notices, 1 unread
   *[other] Notices, { $count } unread
}
status-model-here = { $model } on this computer

## The question before a quit
quit-title = Quit Gatehouse?
quit-running = { $count ->
    [one] 1 process is running. Left running, it goes on without the window.
   *[other] { $count } processes are running. Left running, they go on without the window.
}
quit-leave = Leave running
quit-stop = Stop all and quit
quit-cancel = Cancel
