# What was dropped or failed, sessions that ended, and the data as a whole.

## Incidents

incidents = Incidents
incidents-close = Close the incidents
incidents-none = Nothing was dropped, and nothing waits to be mended.
status-incidents = { $count ->
    [one] 1 incident
   *[other] { $count } incidents
}
action-incidents = Show incidents
incident-held = A report is held for you
incident-held-why = A backup was restored that still owed it. It may have been told before, so it does not go by itself. Deliver it, or dismiss it.
incident-dropped = A report did not reach the agent
incident-dropped-why = It could not be told. The report is kept: deliver it, or dismiss it.
incident-dropped-many = { $count } reports did not reach the agent
incident-dropped-many-why = Nobody could be told for two days, so they are not tried any more. The newest of them is shown. Deliver them all together, or dismiss them.
incident-gone-why = Its session ended first, and no report goes into the next one by itself. Deliver it, or dismiss it.
incident-expired-why = Nobody could be told for two days, so it is not tried any more. Deliver it, or dismiss it.
incident-refused-why = Its session refused it eight times, so it is not tried any more. Deliver it, or dismiss it.
incident-operator-why = A person put it away. It can still be delivered.
incident-in = In { $title }
incident-stop = A process did not end when it was stopped
incident-stop-why = { $detail }. Open it to stop it again.
incident-config = Something in config.toml was not taken
incident-backup = No backup was made
incident-restored = A backup was restored
incident-not-restored = The backup was not restored
incident-turned-away = A message from outside was not taken
incident-search = Search does not find everything
incident-data = The data could not be used as it should
incident-other = Something went wrong
incident-deliver = Deliver here
incident-deliver-to = To { $title }
incident-elsewhere = Deliver elsewhere
incident-nowhere = There is no other session yet. Open one first.
incident-output = Open output
incident-dismiss = Dismiss
incident-delivered = Report delivered to { $title }
incident-dismissed = Incident dismissed
letter-held = { $sort ->
    [files] Held after a restore: files for { $platform }
   *[words] Held after a restore: an answer to { $platform }
}
letter-held-why = The backup still owed it. It may have been sent before, so it does not go by itself. Send it, or discard it.
letter-unsent = { $sort ->
    [files] Files did not reach { $platform }
   *[words] An answer did not reach { $platform }
}
letter-given-up-why = Given up: { $why }. It is kept: try again, or dismiss it.
letter-declined-why = Declined: { $why }. Nothing else is tried there.
letter-to = To { $chat }
letter-send = Send
letter-again = Try again
letter-discard = Discard
letter-sent = On its way

## Sessions that ended

session-ended = This session ended.
session-ended-next = This session ended. A new one began in its place.
session-open-next = Open the new one
session-closed-note = This session is closed. Writing in it opens it again.
session-has-ended = Ended
session-is-closed = Closed
session-anew = New session in its place
session-close = Close session
action-session-anew = New session in place of this one
action-session-close = Close this session
action-has-ended = It has ended already
action-turn-runs = A turn is running
unsent-queue-full = Not sent: too many messages wait.
unsent-ended = Not sent: this session has ended.
unsent-take-along = Take it along

## Processes in the settings

set-process-notices = Processes that end without a report to the agent
set-process-notices-effect = What their session shows you of them.
process-notices-concise = One line, and why if it failed
process-notices-result = Every end, with its last output
process-notices-all = Every end, and what they write while they run
process-notices-error = Only what failed
process-notices-off = Nothing

## Data

settings-data = Data
set-backup = Backup
backup-now = Back up now
backup-running = Backing up
backup-last = Last: { $when }, { $size }.
backup-kept = One is made each day while Gatehouse runs. The newest { $kept } are kept in { $dir }.
backup-failed = The last one, { $when }, was not made. { $reason }
backup-not-made = No backup was made. { $reason }
set-backups = Backups
backups-none = No backup yet. The first one is made soon after the start, or now.
backup-restore = Restore
backup-restore-of = Restore the backup of { $when }
backup-ask = Restore the data of { $when }? What came later is set aside in a folder, not deleted. Reports that were not yet delivered are held for you. Running processes go on. Gatehouse restarts.
backup-ask-refused = Restore the data of { $when }? What is there now is set aside in a folder, not deleted. Reports that were not yet delivered are held for you. Running processes go on. Gatehouse opens the restored data at once.
backups-show = Show the backups
backup-restore-restart = Restore and restart
backup-keep = Keep the data as it is
backup-restarting = Gatehouse restarts and restores it.
backup-ordered = Ordered. The next start of Gatehouse restores it.
backup-not-ordered = Not restored, and nothing was changed. { $reason }
set-export = Export
set-export-effect = Writes every session into one new file, as lines of JSON. Output of processes stays where it is.
export-write = Export everything
export-running = Exporting
export-done = { $sessions ->
    [one] Exported one session, { $size }, to
   *[other] Exported { $words } sessions, { $size }, to
}
export-failed = Not exported. { $reason }
