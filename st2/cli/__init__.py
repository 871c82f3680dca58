"""The click commands, a file a noun; each is loaded when it is first asked for."""
