"""Write every generated file of the repository anew."""

from __future__ import annotations

import sys
from pathlib import Path

from generators import cases, commands, help_pages, manual, messages, picture

ROOT = Path(__file__).parent.parent
KINDS = (cases, commands, help_pages, manual, messages, picture)


def main() -> None:
    """Write what differs, and say so; a page whose command is gone goes too."""
    for kind in KINDS:
        wanted = kind.files()
        for path in set(kind.present(ROOT)) - wanted.keys():
            (ROOT / path).unlink()
            print(f"removed {path}", file=sys.stderr)
        for path, text in wanted.items():
            place = ROOT / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists() or place.read_text("utf-8") != text:
                place.write_text(text, "utf-8")
                print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
