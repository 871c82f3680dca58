"""Our own modules are found without a search, and are what the ordinary import makes of them."""

from __future__ import annotations

import os
import py_compile
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import pytest

from catalog.system import own_modules
from catalog.system.own_modules import ROOMS, OwnFinder, OwnLoader
from conftest import Cli

ROOT = Path(__file__).parent.parent
SUFFIX = f".{sys.implementation.cache_tag}.pyc"
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
WHEN = 1_700_000_000


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture(scope="module")
def finder() -> OwnFinder:
    import st2

    return OwnFinder(os.path.dirname(st2.__path__[0]), SUFFIX)


class Room:
    """A folder with one module, ``catalog.thing``, and a compiled form of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "catalog/thing.py"
        self.compiled = folder / f"catalog/__pycache__/thing{SUFFIX}"
        self.source.parent.mkdir()
        self.write("first")

    def write(self, word: str, *, when: int = WHEN) -> None:
        self.source.write_text(f"word = {word!r}\nplace = (lambda: 0).__code__.co_filename\n")
        os.utime(self.source, (when, when))

    def compile(self, mode: py_compile.PycInvalidationMode | None = None) -> None:
        py_compile.compile(os.fspath(self.source), doraise=True, invalidation_mode=mode)

    def spec(self) -> ModuleSpec:
        found = OwnFinder(os.fspath(self.folder), SUFFIX).find_spec("catalog.thing", None)
        assert found is not None
        return found

    def load(self) -> ModuleType:
        spec = self.spec()
        module = module_from_spec(spec)
        assert spec.loader is not None
        spec.loader.exec_module(module)
        return module


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_is_found_as_the_ordinary_import_finds_it(finder: OwnFinder, path: Path) -> None:
    name = name_of(path)
    above, _, _ = name.rpartition(".")
    own = finder.find_spec(name, None)
    folder = [os.path.join(finder._folder, *above.split("."))] if above else [finder._folder]
    ordinary = PathFinder.find_spec(name, folder)
    assert own is not None and ordinary is not None and own.loader and ordinary.loader
    for attribute in ("name", "origin", "cached", "has_location", "parent"):
        assert getattr(own, attribute) == getattr(ordinary, attribute)
    assert own.submodule_search_locations == ordinary.submodule_search_locations
    for loader in (own.loader, ordinary.loader):
        assert loader.get_filename(name) == own.origin  # type: ignore[attr-defined]
        assert loader.is_package(name) is (path.stem == "__init__")  # type: ignore[attr-defined]
    codes = [loader.get_code(name) for loader in (own.loader, ordinary.loader)]  # type: ignore[attr-defined]
    assert codes[0] == codes[1]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_an_empty_module_is_what_the_ordinary_import_makes(finder: OwnFinder, path: Path) -> None:
    spec = finder.find_spec(name_of(path), None)
    assert spec is not None and isinstance(spec.loader, OwnLoader)
    made = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(OwnLoader, "create_module", lambda *_: None)
        assert made.__dict__ == module_from_spec(spec).__dict__


def test_no_module_has_the_name_of_a_folder_beside_it() -> None:
    """The ordinary import would take the folder, and ours the module."""
    assert [path for path in FILES if (path.with_suffix("") / "__init__.py").exists()] == []


@pytest.mark.parametrize("name", ["other", "other.thing", "catalog.nothing", "catalog.thing.x"])
def test_what_is_not_ours_or_not_there_is_left_to_the_others(room: Room, name: str) -> None:
    (room.folder / "other").mkdir()
    for file in ("__init__.py", "thing.py"):
        (room.folder / "other" / file).touch()
    assert OwnFinder(os.fspath(room.folder), SUFFIX).find_spec(name, None) is None


def test_a_folder_with_the_name_of_a_source_is_no_module(room: Room) -> None:
    (room.folder / "catalog/odd.py").mkdir()
    assert OwnFinder(os.fspath(room.folder), SUFFIX).find_spec("catalog.odd", None) is None


def test_a_compiled_form_that_fits_is_taken_and_nothing_else_is_asked(room: Room) -> None:
    room.compile()
    spec = room.spec()
    room.source.unlink()  # the ordinary import would look at it
    assert isinstance(spec.loader, OwnLoader)
    code = spec.loader.get_code("catalog.thing")
    assert code is not None and "first" in code.co_consts


def test_the_compiled_form_is_taken_while_it_belongs_to_the_source(room: Room) -> None:
    """One that is as long and of the same time cannot be told, by the ordinary import neither."""
    room.compile()
    room.write("other")
    assert room.load().word == "first"


@pytest.mark.parametrize(("word", "when"), [("other", WHEN + 1), ("others", WHEN)])
def test_a_source_of_another_time_or_size_is_compiled_anew(
    room: Room, word: str, when: int
) -> None:
    room.compile()
    room.write(word, when=when)
    assert room.load().word == word


def by_content(room: Room) -> None:
    room.compile(py_compile.PycInvalidationMode.CHECKED_HASH)


def long_one(room: Room) -> None:
    with room.source.open("a") as source:
        source.write(f"pad = {'x' * 70_000!r}\n")
    os.utime(room.source, (WHEN, WHEN))
    room.compile()
    assert room.compiled.stat().st_size > 65_536


def elsewhere(room: Room) -> None:
    place = os.fspath(room.compiled)
    py_compile.compile(os.fspath(room.source), cfile=place, dfile="/elsewhere/thing.py")


def other_magic(room: Room) -> None:
    room.compiled.write_bytes(b"\0\0" + room.compiled.read_bytes()[2:])


def cut(room: Room) -> None:
    room.compiled.write_bytes(room.compiled.read_bytes()[:15])


def a_folder(room: Room) -> None:
    room.compiled.unlink()
    room.compiled.mkdir()


@pytest.mark.parametrize("lies", [by_content, long_one, elsewhere, other_magic, cut, a_folder])
def test_whatever_else_lies_there_the_module_is_what_its_source_says(
    room: Room, lies: Callable[[Room], None]
) -> None:
    room.write("second")
    room.compile()
    lies(room)
    module = room.load()
    assert (module.word, module.place) == ("second", os.fspath(room.source))


def test_what_was_found_counts_once(room: Room) -> None:
    room.compile()
    spec = room.spec()
    assert isinstance(spec.loader, OwnLoader)
    first = spec.loader.get_code("catalog.thing")
    room.write("second", when=WHEN + 1)
    assert first is not None and "first" in first.co_consts
    assert "second" in spec.loader.get_code("catalog.thing").co_consts  # type: ignore[union-attr]


def test_a_damaged_compiled_form_is_the_same_error_as_ever(room: Room) -> None:
    room.compile()
    room.compiled.write_bytes(room.compiled.read_bytes()[:40])
    with pytest.raises(EOFError, match="marshal data too short"):
        room.load()


@pytest.mark.parametrize("most", [17, 40, 80])
def test_where_one_read_gives_a_part_alone_the_ordinary_import_reads_on(
    room: Room, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """A file system over a network may answer so, above all where a signal comes."""
    room.compile()
    whole = own_modules._start_of
    monkeypatch.setattr(own_modules, "_start_of", lambda path: whole(path)[:most])
    assert room.load().word == "first"


USES = """\
import importlib, importlib.resources, inspect, pickle, pkgutil, sys, traceback
import st2.__main__, catalog, catalog.record as record, st2.fast
from catalog.system.own_modules import OwnLoader

assert type(record.__loader__) is type(st2.fast.__spec__.loader) is OwnLoader
assert record.__file__ == record.__spec__.origin == inspect.getsourcefile(record)
assert "def parse(" in inspect.getsource(record)
assert pickle.loads(pickle.dumps(record.Record("busy", 1))) == record.Record("busy", 1)
assert importlib.resources.files("st2").joinpath("commands.tsv").is_file()
assert importlib.resources.files("st2.serve").joinpath("status.py").is_file()
assert "record" in [each.name for each in pkgutil.iter_modules(catalog.__path__)]
old = record.Record
assert importlib.reload(record) is record and record.Record is not old
assert importlib.util.find_spec("catalog.sync.loop_that_is_none") is None
importlib.invalidate_caches()
try:
    st2.fast.plan(None)
except TypeError as error:
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert last.filename == st2.fast.__file__ and last.line
print(sys.meta_path[0].__class__.__name__)
"""


def test_whatever_asks_a_module_where_it_comes_from_is_answered() -> None:
    done = subprocess.run([sys.executable, "-c", USES], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("OwnFinder\n", "")


def loaders(cli: Cli, **env: str) -> dict[str, str]:
    """The modules of ours that ``st2 status`` loads, each with the class of its loader."""
    done = cli("status", "a1", env={"PYTHONVERBOSE": "1", **env})
    assert (done.code, done.out) == (0, b"busy\n")
    shown = re.findall(r"^import '([\w.]+)' # <(?:class ')?([\w.]+)", done.errors, re.MULTILINE)
    return {
        name: loader.rpartition(".")[2] for name, loader in shown if name.split(".")[0] in ROOMS
    }


@pytest.fixture
def one_agent(cli: Cli) -> Cli:
    folder = cli.catalog / "agents/h1/a1"
    folder.mkdir(parents=True)
    (folder / "status").write_bytes(b"busy\n")
    return cli


BEFORE = {"st2", "st2.__main__", "catalog", "catalog.system", "catalog.system.own_modules"}


def test_a_command_finds_all_of_ours_without_a_search_but_for_what_it_takes_to_begin(
    one_agent: Cli,
) -> None:
    found = loaders(one_agent)
    assert {name for name, loader in found.items() if loader != "OwnLoader"} == BEFORE
    assert len(found) > 20


@pytest.mark.parametrize(
    "env", [{"PYTHONOPTIMIZE": "1"}, {"PYTHONPYCACHEPREFIX": "/nowhere/at/all"}], ids=str
)
def test_compiled_forms_of_another_kind_or_place_are_left_to_the_ordinary_import(
    one_agent: Cli, env: dict[str, str]
) -> None:
    assert set(loaders(one_agent, **env).values()) == {"SourceFileLoader"}
