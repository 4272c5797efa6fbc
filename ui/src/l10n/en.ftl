# Every text of the window. Sentence case, plain verbs, no exclamation marks; a no-break space before a unit.

## Frame, sidebar, status bar

app-name = Gatehouse
loading = Opening
