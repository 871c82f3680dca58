"""The real ports: the clock, files, processes, wake-ups and git."""
