"""Three hosts and all that can go wrong between them, for tests/sync/test_three_hosts.py."""

from __future__ import annotations

import os

MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where thousands of small files are replaced: on a disk each rename over a file waits for it."""
