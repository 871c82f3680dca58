"""The interpreter's signal functions without ``enum``, which their public module imports.

That import alone would cost a wrapper two milliseconds and an owner 800 KB.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal

__all__ = ["signal"]
