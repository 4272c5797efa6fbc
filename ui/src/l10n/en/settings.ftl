# Texts of the settings and of the first run.

## Frame of the settings

settings-label = Settings
settings-open = Open settings
settings-back = Back to chat
settings-rooms = Show sections
settings-find = Search settings
settings-find-none = Nothing found for "{ $query }".
settings-saved = Saved in config.toml, comments kept
settings-open-file = Open file
settings-not-saved = Not saved. { $reason } The old value, { $old }, still applies.
settings-number = Use a whole number. The old value, { $old }, still applies.
settings-models = Models
settings-processes = Processes
settings-approvals = Approvals
settings-notices = Notices
settings-appearance = Appearance
settings-keyboard = Keyboard
settings-about = About and logs

## Warnings of the file

warning-file = config.toml
warning-at = { $name }:
warning-at-line = { $name }, line { $line }:
warning-more = { $count ->
    [one] One more stands in the settings.
   *[other] { $count } more stand in the settings.
}
warning-dismiss = Put this away
warnings-none = Everything in the file is taken.

## Models and providers

set-model = Model that answers
set-model-effect = Used from the next turn on, in every session.
set-model-local = Runs on this computer. Used from the next turn on, in every session.
set-model-none = No model yet
models-failed = { $provider } did not list its models. { $reason }
model-starter = { $name }: chats a little, no tools
set-providers = Providers
providers-none = No provider yet. Add one or a model file, or use a server that runs on this computer.
provider-add = Add provider
provider-preset = Provider
provider-name = Name
provider-name-taken = There is a provider called { $name } already. Use another name.
provider-name-missing = Give it a name; models are chosen by it.
provider-address = Address
provider-models = Models
provider-models-hint = Names with commas between them. Empty: the provider is asked.
provider-key-source = Key comes from
provider-key-keep = Keep the stored key
provider-key-typed = What is typed here
provider-key-env = An environment variable
provider-key-none = No key
provider-key = Key
provider-key-variable = Variable
provider-key-variable-missing = Name the variable that holds the key.
provider-key-variable-hint = Read when Gatehouse starts. Commands of the agent do not see it.
key-place-keyring = Kept in the system's keyring.
key-place-untold = why is not known
key-place-file = Kept in a file that only your account can read, not in the system's keyring: { $reason }.
provider-save = Save provider
provider-test = Test
provider-test-of = Test { $name }
provider-cancel = Cancel
provider-edit = Edit
provider-edit-of = Edit { $name }
provider-remove = Remove
provider-remove-of = Remove { $name }
provider-remove-ask = Remove { $name } from config.toml?
provider-remove-ask-key = Remove { $name } and its stored key?
provider-keep = Keep it
provider-asking = Asking it
provider-answered = { $count ->
    [0] Answered in { $ms } ms, and lists no models
    [one] Answered in { $ms } ms, one model
   *[other] Answered in { $ms } ms, { $count } models
}
provider-has-key = Has a stored key.
provider-has-env = Key from { $name }.
provider-has-none = No key.
kind-openai = OpenAI
kind-ollama = Ollama
kind-embedded = Embedded engine, on this computer
kind-compatible = OpenAI-compatible
preset-openai = OpenAI
preset-anthropic = Anthropic
preset-gemini = Gemini
preset-openrouter = OpenRouter
preset-other = Any compatible address
built-in-note = Comes with Gatehouse. It answers because nothing else is set up.
chat-only-note = It chats; it can't run commands.
engine-absent = The engine that computes with model files is not here. It comes with the Gatehouse package; in the source folder, npm run engine builds it. It is found without a restart.
engine-asleep = Asleep. It takes no memory until you write.
engine-ready = { $threads ->
    [one] Ready. { $memory } of memory, { $context } tokens of conversation, 1 thread.
   *[other] Ready. { $memory } of memory, { $context } tokens of conversation, { $threads } threads.
}
model-file = File
model-file-add = Add model file
model-file-browse = Choose
model-file-choose-title = Choose a model file
model-file-example = /home/you/models/model.gguf
model-file-fine = The file can be used.
model-file-hint = A GGUF file that can chat. It is computed on this computer.
model-file-hint-there = The whole path of a GGUF file that can chat, on the computer where the gateway runs.
model-file-kind = Model files (GGUF)
model-file-missing = No file is named. Type its whole path, from / on.
model-file-save = Save model file
set-servers = Found on this computer
server-here = { $name } on this computer
server-found = { $count ->
    [0] Found on port { $port }, without a model
    [one] Found on port { $port }, one model
   *[other] Found on port { $port }, { $count } models
}
server-add = Add
server-add-of = Add { $name }
servers-look-again = Look again
servers-none = { $count ->
    [0] No port of this computer is looked at. Name some as agent.local_ports in config.toml.
   *[other] No model server answers on this computer. Looked on ports { $ports }.
}
servers-all-added = Every server that was found is among the providers.
set-keys = Where keys are kept

## Processes

set-on-quit = When I quit Gatehouse
set-on-quit-effect = Running processes can go on without the window.
on-quit-ask = Ask each time
on-quit-leave = Leave them running
on-quit-stop = Stop them all
set-keep-running = Close the window, keep the gateway running
set-keep-running-effect = Gatehouse stays in the tray. Quit from there.
set-limit = Running at once
set-limit-effect = In all sessions together. One more is refused, and the agent is told so.
set-limit-session = Running at once in one session
set-limit-session-effect = So that one session cannot use up the whole number.
set-inactivity = Seconds until a still turn is given up
set-inactivity-effect = A turn in which nothing happens for so long is stopped, with what it started. 0 is never.

## Approvals

set-approvals = When the agent wants to run a command
approvals-mode-ask = Ask first
approvals-mode-ask-means = Every command waits for your answer, unless a rule below allows it.
approvals-mode-risky = Ask for risky commands
approvals-mode-risky-means = Commands that are known to delete, overwrite, install, send or change the system wait for your answer. The rest run at once. A harmful command that is not recognised runs too.
approvals-mode-off = Never ask
approvals-mode-off-means = The agent runs any command at once, with all the rights of your account. Always refused: the patterns below, guessed passwords, commands that cannot be checked, and those that would delete the system or a home folder, format or overwrite a disk, multiply without end, end every process or turn the computer off.
set-rules = Allowed without asking
rules-none = Nothing yet. "Allow this session" and "Always allow" in a question put their commands here.
rule-session = This command, in one session.
rule-session-of = This command, in the session { $title }.
rule-exact = Exactly this command, in every session.
rule-pattern = Every command that fits, in every session and folder.
rule-in = Folder { $folder }.
rule-used = { $count ->
    [0] Never used.
    [one] Used once.
   *[other] Used { $words } times.
}
rule-made = Made { $day }.
rule-remove = Remove
rule-remove-of = Remove { $text }
set-deny = Never allowed
set-deny-effect = Commands that fit one of these are refused whatever is set above. * stands for any words.
deny-add = Add pattern
deny-add-label = Pattern to refuse
deny-example = git push *
deny-remove-of = Remove { $pattern }

## Notices

set-completions = When a process ends
set-completions-effect = The system shows it while you look elsewhere.
set-questions = When a question waits
set-questions-effect = The system shows it, so that nothing waits for you unseen.
set-turns = When a long turn ends
set-turns-effect = Only while you look elsewhere.
set-toast-approve = Allow from the notification
set-toast-approve-effect = Adds "Allow once" where the whole command fits. A press there is an answer, even one by mistake or by somebody else at this screen.
set-quiet-hours = Quiet hours
set-quiet-hours-effect = The system is told nothing between these times. The list of notices goes on.
set-quiet-hours-both = Set both times; one alone does nothing.
quiet-from = Quiet from
quiet-to = Quiet to
quiet-to-between = to
quiet-example = 22:00
set-quiet = Quiet for now
set-quiet-effect = The system is told nothing for a while. The list of notices goes on.
set-quiet-until = The system is told nothing until { $time }.
quiet-hour = Quiet for 1 hour
quiet-end = End quiet
set-muted = Muted
muted-none = Nothing is muted.
muted-session = The whole session. It stands in the list of notices and nothing more.
muted-command = This command of { $title }. It stands in the list of notices and nothing more.
muted-end = Unmute
muted-end-of = Unmute { $name }
set-system-notices = Notifications of the system
system-notices-fine = Shown by the system while Gatehouse runs.
system-notices-no-tray = No tray was found. With every window closed, Gatehouse can be seen only in its notifications.
system-notices-browser = A browser page tells the system nothing. The desktop app does.

## Appearance

as-system = As the system
set-theme = Theme
set-theme-effect = Light or dark.
theme-light = Light
theme-dark = Dark
set-contrast = Contrast
set-contrast-effect = High draws every edge and drops the shadows.
contrast-normal = Normal
contrast-high = High
set-density = Density
set-density-effect = How much of a turn's work is open in the transcript.
density-verbose = Verbose: all open
density-normal = Normal: errors open
density-summary = Summary: one row for each turn
set-motion = Motion
set-motion-effect = Reduced: nothing moves, and times still count.
motion-normal = Normal
motion-reduced = Reduced

## Keyboard

set-keymap = Keys
keys-window = Window
keys-palette = Find an action, a session, or words
keys-find-here = Find in this session
keys-find = Find in every session
keys-processes = Go to the processes
keys-density = How much of a turn is open
keys-map = These keys
keys-new = New session
keys-place = Session by its place
keys-needs-you = Next that needs you, then next unread
keys-sidebar = Sessions shown or folded
keys-rail = Processes shown or folded
keys-settings = Settings
keys-panes = Next pane
keys-writing = Writing
keys-send = Send, or queue while a turn runs
keys-newline = New line
keys-steer = Steer the running turn now
keys-stop = Close what is open, else stop the turn
keys-answering = Answering a question
keys-allow = Allow once
keys-allow-session = Allow this session
keys-deny = Deny

## About and logs

set-version = Version
version-of = Version { $version }
set-file = Settings file
set-data = Data directory
set-logs = Logs
set-logs-effect = In the folder logs of the data directory, one file a day.
set-warnings = What was not taken from the file
place-open = Open
place-open-of = Open { $name }

## First run

first-title = Choose a model to talk to
first-lead = Gatehouse itself needs no account. What you write goes to the model that you choose here, and nowhere else. You can change this later.
first-title-ready = The built-in model is ready
first-lead-ready = It runs on this computer, also without a network. Start with it, or choose another one here. You can change this later.
first-starter = Built-in model
first-starter-fact = ready
first-file = A model file
first-file-says = Any GGUF file that can chat, computed on this computer.
first-looking = Looking for model servers on this computer
first-models = { $count ->
    [0] no models
    [one] 1 model
   *[other] { $count } models
}
first-server-says = Found on port { $port }. Used only if you choose it.
first-server-empty = Found on port { $port }, but it has no model that chats. Get one there, then look again.
first-key = A provider with a key
first-key-says = OpenAI, Anthropic, Gemini, OpenRouter, or any compatible address.
first-none = No model yet
first-none-says = Run commands with ! and see their processes. Nothing answers your words.
first-model = Model
first-model-missing = No model is chosen. Type the name that the provider uses.
first-start = Start chatting
first-start-none = Start without a model
first-stays-here = Stays on this computer
first-goes-out = What you write goes to this provider
first-choose-model = Choose one of its models, then start
first-looked = No model server was found on this computer.
first-looked-at = { $count ->
    [0] No port is set to be looked at.
   *[other] Looked on ports { $ports }.
}
key-enter = Enter
no-model-how = No model is set up yet. Commands that start with ! run.
no-model-choose = Choose a model
