"""st2: who is alive, what is each one doing, who holds which name."""

import sys

# `catalog` is a common name: the folder that holds this package is searched before any other.
sys.path.insert(0, __path__[0].rpartition("/")[0])

__version__ = "0.1.0"
