"""The file that an owner's interpreter is given: ``python -I -S <this file>``.

It alone is compiled at each start, so nothing else stands in it.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Last, so that nothing which lies beside our packages shadows the standard library.
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.append(folder)
    from catalog.system import own_modules

    own_modules.install(folder)
    from drivers.owner_process import main

    sys.exit(main())
