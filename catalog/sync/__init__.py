"""Runtime records on their way between hosts: publish ours, collect theirs, through git."""
