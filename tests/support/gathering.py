"""While tests are gathered nothing is thrown away, and what was gathered stays to the end.

Nobody looks for garbage among it, neither then nor at each test.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
