"""What is known about each harness, and the session owner."""
