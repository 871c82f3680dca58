"""The cache of declarations: never stale, never believed beyond what we write, always optional."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.declaration import declaration_at, declared
from catalog.declaration_cache import VERSION, DeclarationCache
from catalog.layout import Layout
from catalog.seal import seal
from catalog.survey import survey
from catalog.system.files import Files
from catalog.system.machine import machine_id
from catalogs import agent
from catalogs import declared as written
from conftest import BIN, Cli

FULL = written(
    body='    name "N"\n    description "D"\n    resource "w" uri="x" n=1\n'
    '    desired-state "suspended" reason="r"\n    codex {\n        prompt "p"\n    }\n'
)


@pytest.fixture
def local(catalog_dir: Path) -> Path:
    """This host's own folder, as `st2 init` makes it."""
    folder = catalog_dir / ".st2/h1"
    folder.mkdir(parents=True, mode=0o700)
    (catalog_dir / ".st2").chmod(0o700)
    return folder


def through_the_cache(catalog: Path) -> list[object]:
    files, layout = Files(str(catalog)), Layout(str(catalog), "h1")
    cache = DeclarationCache(files, layout)
    read = [cache.declared_at(place) for place in survey(files, layout).places]
    cache.save()
    return read


def parsed(catalog: Path) -> list[object]:
    places = survey(Files(str(catalog)), Layout(str(catalog), "h1")).places
    found = [declaration_at(place, this_host="h1") for place in places]
    return [None if each is None else declared(each) for each in found]


def remembered(local: Path) -> dict[str, Any]:
    """What the cache holds below its seal."""
    found: dict[str, Any] = json.loads((local / "cache").read_bytes().partition(b"\n")[2])
    return found


def test_what_is_remembered_is_what_a_parse_says(catalog_dir: Path, local: Path) -> None:
    agent(catalog_dir, "a1", kdl=FULL)
    agent(catalog_dir, "a2", kdl="agent {")
    agent(catalog_dir, "a3", status=b"busy\n")
    expected = parsed(catalog_dir)
    assert through_the_cache(catalog_dir) == expected
    assert set(remembered(local)["entries"]) == {
        *("agents/h1/a1/agent.kdl", "agents/h1/a2/agent.kdl")
    }
    assert through_the_cache(catalog_dir) == expected


def test_a_change_of_bytes_alone_is_seen_with_size_and_every_time_kept(
    catalog_dir: Path, local: Path
) -> None:
    folder = agent(catalog_dir, kdl=written(body='    name "old"\n'))
    through_the_cache(catalog_dir)
    times = (folder / "agent.kdl").stat()
    (folder / "agent.kdl").write_text(written(body='    name "new"\n'))
    import os

    os.utime(folder / "agent.kdl", ns=(times.st_atime_ns, times.st_mtime_ns))
    [read] = through_the_cache(catalog_dir)
    assert read.name == "new"  # type: ignore[attr-defined]


def test_a_known_roster_loads_no_parser(cli: Cli, local: Path) -> None:
    agent(cli.catalog, kdl=FULL)
    assert cli("agents", "--json").code == 0
    done = subprocess.run(
        [sys.executable, "-X", "importtime", BIN / "st2", "agents", "--json"],
        env=cli.environment(),
        capture_output=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "catalog.declaration_cache" in loaded
    assert loaded & {"ckdl", "json", "re", "enum", "catalog.declaration"} == set()


def test_no_cache_is_made_where_this_host_has_no_folder(catalog_dir: Path) -> None:
    agent(catalog_dir, kdl=FULL)
    through_the_cache(catalog_dir)
    assert not (catalog_dir / ".st2").exists()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'{"v":1}',
        b'{"v":%d,"entries":[]}' % VERSION,
        b"\xff",
        b'{"v":%d}x' % VERSION,
        b"[" * 9999,
    ],
)
def test_a_broken_cache_changes_nothing_and_is_replaced(
    catalog_dir: Path, local: Path, raw: bytes
) -> None:
    agent(catalog_dir, kdl=FULL)
    (local / "cache").write_bytes(raw)
    assert through_the_cache(catalog_dir) == parsed(catalog_dir)
    assert remembered(local)["v"] == VERSION


PINNED = {
    5: "81f93c42f2384695",
}
"""What is remembered of the catalog below, by the version that remembers so."""

OF_EVERY_KIND = {
    "a1/agent.kdl": FULL,
    "a2/agent.kdl": 'agent "a2" {\n    host "h1"\n    argv "true"\n}\n',
    "a3/agent.kdl": 'agent "a3" {\n    command "x"\n    description ""\n}\n',
    "a4/agent.kdl": 'agent "other" {\n    host "h2"\n    workspace 1 2\n    name "a" "b"\n}\n',
    "a5/agent.kdl": 'agent "a5" {\n    identity "h1.a6"\n    desired-state "odd"\n    argv ""\n}\n',
    "a6/agent.kdl": 'agent "a6" {\n    pi\n    codex 1\n    render\n    role "a"\n    role ""\n}',
    "a7/agent.kdl": 'agent "a"\nagent "b"\n',
    "a8/agent.kdl": 'agent "a8" {\n    resource "r" x=#null y=1.5 b=#true\n    resource 5\n}\n',
    "a0/agent.kdl": 'agent "-" {\n}\n',
    "a9/agent.toml": 'name = "N"\r\n\r\nworkspace = 5\r\n[[resource]]\r\nname = "r"\r\n',
    "b1/agent.json": '{"host": "h1", "name": "N",\n "workspace": 5, "claude": {"prompt": "p"}}',
}
"""Everything that is remembered in a way of its own; no sentence of a parser's is in it."""


def test_what_is_remembered_changes_with_the_version_alone(catalog_dir: Path, local: Path) -> None:
    """What an older st2 kept would else be shown as if the newer one had read it."""
    for name, text in OF_EVERY_KIND.items():
        folder, _, file = name.partition("/")
        (agent(catalog_dir, folder) / file).write_bytes(text.encode())
    through_the_cache(catalog_dir)
    kept = json.dumps(remembered(local)["entries"], indent=1)
    told = f"raise VERSION and pin what it remembers from now on:\n{kept}"
    assert hashlib.sha256(kept.encode()).hexdigest()[:16] == PINNED.get(VERSION), told


@pytest.mark.parametrize("how", ["unsealed", "elsewhere", "another machine"])
def test_a_cache_that_came_with_the_catalog_is_not_believed(
    catalog_dir: Path, local: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """It says of a declaration's exact bytes that they start another program."""
    agent(catalog_dir, kdl=FULL)
    through_the_cache(catalog_dir)
    believed, forged = parsed(catalog_dir), (local / "cache").read_bytes()
    assert b'"N"' in forged
    forged = forged.replace(b'"name":"N"', b'"name":"X"')
    text = forged.partition(b"\n")[2]
    path = str(catalog_dir) + ("/x" if how == "elsewhere" else "")
    machine = "theirs" if how == "another machine" else machine_id()
    told = seal(machine, path, "declarations", text).encode() + b"\n"
    (local / "cache").write_bytes(text if how == "unsealed" else told + text)
    assert through_the_cache(catalog_dir) == believed


def test_a_seal_that_fits_is_what_the_cache_is_believed_for(catalog_dir: Path, local: Path) -> None:
    agent(catalog_dir, kdl=FULL)
    through_the_cache(catalog_dir)
    text = (local / "cache").read_bytes().partition(b"\n")[2].replace(b'"N"', b'"X"')
    told = seal(machine_id(), str(catalog_dir), "declarations", text).encode()
    (local / "cache").write_bytes(told + b"\n" + text)
    [read] = through_the_cache(catalog_dir)
    assert read.name == "X"  # type: ignore[attr-defined]


def test_a_cache_that_cannot_be_written_is_no_fault(
    cli: Cli, local: Path, tree_hash: Callable[..., str]
) -> None:
    agent(cli.catalog, kdl=FULL)
    (local / "cache").mkdir()
    done = cli("agents")
    assert (done.code, done.err) == (0, b"")


SPELLED = {
    "agent.kdl": FULL,
    "agent.toml": 'host = "h1"\nname = "N"\nworkspace = 5\n[codex]\nprompt = "p"\n',
    "agent.json": '{"host": "h1", "name": "N",\n "workspace": 5, "codex": {"prompt": "p"}}',
}


class TestEverySpelling:
    """The cache serves each spelling, and knows nothing that the bytes before it do not say."""

    @pytest.mark.parametrize("name", SPELLED)
    def test_what_is_remembered_is_what_a_parse_says(
        self, catalog_dir: Path, local: Path, name: str
    ) -> None:
        (agent(catalog_dir) / name).write_text(SPELLED[name])
        expected = parsed(catalog_dir)
        assert through_the_cache(catalog_dir) == expected
        assert list(remembered(local)["entries"]) == [f"agents/h1/a1/{name}"]
        assert through_the_cache(catalog_dir) == expected

    @pytest.mark.parametrize("name", SPELLED)
    def test_an_entry_of_one_spelling_says_nothing_about_another(
        self, catalog_dir: Path, local: Path, name: str
    ) -> None:
        folder = agent(catalog_dir)
        for first in SPELLED:
            (folder / first).write_text("{}")
            through_the_cache(catalog_dir)
            (folder / first).unlink()
        (folder / name).write_text("{}")
        assert through_the_cache(catalog_dir) == parsed(catalog_dir)

    def test_what_lies_beside_a_file_is_seen_anew_each_time(
        self, catalog_dir: Path, local: Path
    ) -> None:
        folder = agent(catalog_dir, kdl=FULL)
        alone = through_the_cache(catalog_dir)
        (folder / "agent.json").write_text("{}")
        for _ in range(2):
            [both] = through_the_cache(catalog_dir)
            assert [each.code for each in both.findings] == ["not-read"]  # type: ignore[attr-defined]
        (folder / "agent.json").unlink()
        assert through_the_cache(catalog_dir) == alone == parsed(catalog_dir)

    @pytest.mark.parametrize("name", SPELLED)
    def test_a_known_roster_loads_no_parser_of_any_spelling(
        self, cli: Cli, local: Path, name: str
    ) -> None:
        (agent(cli.catalog) / name).write_text(SPELLED[name])
        for parsers in ({"ckdl"}, set()):
            done = subprocess.run(
                [sys.executable, "-X", "importtime", BIN / "st2", "agents", "--json"],
                env=cli.environment(),
                capture_output=True,
                check=True,
            )
            loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
            assert loaded & {"ckdl"} == parsers
            assert loaded.isdisjoint({"tomllib", "json", "kdlquery"}) or (
                parsers and name != "agent.kdl"
            )

    def test_a_cache_that_others_may_write_is_not_read(
        self, catalog_dir: Path, local: Path
    ) -> None:
        agent(catalog_dir, kdl=FULL)
        through_the_cache(catalog_dir)
        lie = (local / "cache").read_text().replace('"name":"N"', '"name":"a lie"')
        (local / "cache").write_text(lie)
        (catalog_dir / ".st2").chmod(0o777)
        assert through_the_cache(catalog_dir) == parsed(catalog_dir)
