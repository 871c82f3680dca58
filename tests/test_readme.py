"""The roster that the README begins with, and its picture, are what st2 prints."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from generators import picture
from readme_fleet import roster
from st2.table import table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_first_roster_of_the_readme_is_printed_for_such_a_fleet(catalog_dir: Path) -> None:
    rows, footing = roster(catalog_dir)
    printed = table(rows, footing, width=100)
    assert README.split("```text\n", 1)[1].split("```", 1)[0] == printed


def test_the_picture_of_the_roster_shows_what_is_printed_today(catalog_dir: Path) -> None:
    rows, footing = roster(catalog_dir)
    drawn = (ROOT / picture.PLACE).read_text("utf-8")
    lines = re.findall(r"<text [^>]+>(.*?)</text>", drawn)
    shown = [unescape(re.sub(r"<[^>]+>", "", line)).rstrip() for line in lines]
    assert shown == ["$ st2 agents --watch", *table(rows, footing, width=100).splitlines()]
    assert drawn == picture.files()[picture.PLACE], "run: make generated"
    assert f"]({picture.PLACE})" in README
