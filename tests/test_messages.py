"""What st2 says is one list with one voice."""

from __future__ import annotations

import re
from pathlib import Path

from catalog.errors import St2Error
from generators import messages
from generators.said import read

ROOT = Path(__file__).parent.parent
VOICE = re.compile(r"\[Errno|\b(None|True|False|NoneType|object at 0x|Traceback)\b|<class ")


def test_the_list_is_what_the_sources_say() -> None:
    kept = (ROOT / messages.PLACE).read_text("utf-8")
    assert kept == messages.files()[messages.PLACE], "run: make generated"


def is_a_sentence_of_people(text: str) -> bool:
    ends = not text.endswith(".") or text.endswith("...")
    return ends and not VOICE.search(text) and "  " not in text.strip()


def test_every_message_is_a_sentence_of_people() -> None:
    every = [(each.module, text) for each in messages.said() for text in (each.text, each.hint)]
    assert [each for each in every if not is_a_sentence_of_people(each[1])] == []
    assert len(every) > 500


def test_every_class_of_errors_is_known_to_the_list() -> None:
    import st2.serve.doctor
    import st2.serve.live
    import st2.serve.run  # noqa: F401

    def below(kind: type[St2Error]) -> set[str]:
        return {kind.__name__}.union(*(below(each) for each in kind.__subclasses__()))

    found = {name for name in below(St2Error) if not name.startswith("_")}
    assert found - messages.errors().names - {"Refused"} == set()


def test_what_is_put_together_is_read_as_people_see_it(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text(
        "class Odd(St2Error):\n"
        "    def __init__(self, n):\n"
        "        super().__init__('odd', f'found {n}, wanted none')\n"
        "def a(path, error):\n"
        "    found = f'found {path!a}'\n"
        "    hint = 'try again' if path else 'go home'\n"
        "    raise NotFound(bus_id(1, 2), f'{found}, wanted another', hint)\n"
        "def b():\n"
        "    return Finding('odd', 'found a ' + kind, 'p'), Other('x', 'f')\n"
    )
    said = sorted(read(module, "st2/m.py", {"NotFound", "Odd"}))
    assert [(each.kind, each.code, each.text, each.hint) for each in said] == [
        ("Finding", "odd", "found a <kind>", ""),
        ("NotFound", "", "<host.agent>: found <path>, wanted another", "try again | go home"),
        ("Odd", "", "odd: found <n>, wanted none", ""),
        ("part", "", "<found>, wanted another", ""),
    ]
