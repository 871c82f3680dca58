"""What is on disk, and what may be believed about it."""
