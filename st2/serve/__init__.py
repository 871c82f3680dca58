"""What each command does, for the fast path and click alike: options in, an exit code out."""
