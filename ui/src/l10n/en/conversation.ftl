# What stands in a conversation and beside it: answers, waiting messages, sessions' menus, the rail's tabs.

## Approvals

approval-allow-session = Allow this session
approval-allow-always = Always allow exactly this
approval-allow-pattern = Always allow
approval-pattern-label = Allowed from now on, in every folder. A * stands for any words.
approval-pattern-send = Always allow these
approval-deny-reason = Deny with a reason
approval-reason-label = What the agent is told
approval-back = Back
approval-purpose = The agent says:
approval-allowed-rule = Allowed by a rule, { $time }
approval-allowed-session = Allowed for this session by you, { $time }
approval-allowed-always = Always allowed by you, { $time }
approval-allowed-pattern = Always allowed as { $pattern } by you, { $time }
approval-denied-rule = Denied by a rule, { $time }
approval-denied-reason = Denied by you, { $time }: { $reason }
approval-late = { $outcome }. Your answer came too late.

## Machine notes

note-muted = Muted: the system is told nothing of it.

## Processes

mute = Mute
unmute = Unmute
muted = Muted
not-done = Not done: { $reason }
copy-command = Copy command
process-scope = Which processes
process-sort = Sort by
process-sort-newest = Newest
process-sort-oldest = Oldest
process-sort-name = Name

## Work that was handed on

delegation = Work that was handed on
delegation-title =
    { $count ->
        [1] Handed on to a sub-agent
       *[other] Handed on to { $count } sub-agents
    }
delegation-task = The task that was handed on
delegation-open = Open what works on: { $title }
delegation-stop = Stop: { $title }
delegation-stop-all = Stop all
delegation-completed = done
delegation-interrupted = stopped
delegation-unknown = cut off, result unknown
delegation-failed = failed
delegation-count-completed = { $count } done
delegation-count-failed = { $count } failed
delegation-count-interrupted = { $count } stopped
delegation-count-unknown = { $count } cut off
delegation-count-running = { $count } running
session-sub-agent = A sub-agent works here for { $title }. It hears nobody; its result is told there.
session-open-owner = Open that session
task-hand-will = Will hand on
task-hand-asks = Asks to hand on
task-hand-now = Handing on
task-hand-past = Handed on

## Files of an answer

files = Files
file-open = Open
file-open-of = Open { $name }
file-folder = Show in folder
file-folder-of = Show { $name } in its folder
file-copy = Copy path
file-refused = { $name } is not offered: { $why }.

## Waiting messages

queue-send-now = Send now
queue-edit = Change this message
queue-edit-label = Waiting message
queue-remove = Take this message back
queue-sort-how = Drag to sort, or Alt Up and Alt Down
queue-moved = Moved to place { $place } of { $count }
queue-paused = Queue paused.
queue-resume = Resume
queue-gone = Not changed: it was sent or taken back meanwhile.
queue-failed = Not changed: { $reason }

## The rail's tabs, the status strip

rail-tabs = What the rail shows
rail-plan = Plan
rail-details = Details
plan-none = No plan yet
plan-none-how = When the agent makes one for this session, its steps stand here.
plan-done = { $count } done
plan-fold = Hide what is done
plan-sum = { $done } of { $count }
details-none = No session is open
details-none-how = Open one, and what is known of it stands here.
details-title = Title
details-model = Model
details-model-here = { $model }, on this computer
details-turns = Turns
details-items = Items
details-last = Last change
details-folder = Last folder
details-processes =
    { $count ->
        [0] none
       *[other] { $live } alive of { $count }
    }
details-told = System

## A session's menu

session-menu = What to do with { $title }
session-rename = Rename
session-rename-label = Title of the session
session-copy = Copy transcript
session-earlier = Move to earlier
session-copied = Transcript copied
session-not-copied = Not copied: { $reason }

## A turn's steps as one row

turn-steps = { $count } steps
turn-commands =
    { $count ->
        [one] Ran 1 command
       *[other] Ran { $count } commands
    }
turn-failed = { $count } failed
turn-stopped = stopped
