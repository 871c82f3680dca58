"""The commands that the fast path and click share: options in, an exit code out."""
