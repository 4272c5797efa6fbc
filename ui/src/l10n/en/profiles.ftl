## Profiles
profiles = Profiles
profile-here = Profile { $profile }
profile-only = Gatehouse, profile { $profile }
profile-starting = Starting
profile-unread = { $count } unread
profile-refused = Not opened.
profile-new = New profile
profile-new-what = It has its own sessions, models, settings and backups, and sees nothing of the others.
profile-name = Name
profile-nameless = It needs a name. Letters, digits and hyphens will do.
profile-create = Create profile
window-title-profile = { $title } - { $profile }
action-new-profile = New profile
action-profile = Switch profile to { $profile }
