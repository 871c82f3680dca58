"""What ``st2 doctor`` looks at besides the roster: each check reads, and returns findings."""
