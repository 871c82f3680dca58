"""What the system fails to read once is not what is not there (spec/faults.md, F-1 and F-2).

Each act is tried with every look of it failing, one at a time.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator
from errno import EACCES, EIO, EMFILE
from pathlib import Path

import pytest

from catalog import node
from catalog.claim import Claim
from catalog.errors import St2Error
from catalog.record import parse, render
from catalog.session_errors import Conflict
from catalog.survey import survey
from catalog.sync import settings
from catalog.sync.collect import collect
from catalog.sync.publish import Published, publish
from st2.boundary import guarded
from st2.cli.main import run
from st2.fast import plan
from support.faulty_files import LOOKING, Kernel, under
from support.fleet import START_MS, a_snapshot
from support.writes import HOLD, MINUTE_MS, at, claim, collected, held_by_a, local, member, nothing
from support.writes import start as starts

HOUR_MS = 60 * MINUTE_MS


def blinded(root: Path, act: Callable[[], object], errno: int = EIO) -> Iterator[object]:
    """Do *act* on the same files again and again, each time with another look failing.

    Yields what it returned or raised.
    """
    before = root.parent / "before"
    shutil.copytree(root, before)
    for done in looks_failing(act, errno):
        yield done
        shutil.rmtree(root)
        shutil.copytree(before, root)


def looks_failing(act: Callable[[], object], errno: int) -> Iterator[object]:
    """The same for an act that changes nothing."""
    clean = Kernel()
    yield tried(act, clean)[0]
    for number, kind in enumerate(clean.calls):
        if kind in LOOKING:
            yield tried(act, Kernel(number, errno))[0]


def tried(act: Callable[[], object], kernel: Kernel) -> tuple[object, Kernel]:
    try:
        with under(kernel):
            return act(), kernel
    except (OSError, St2Error) as error:
        return error, kernel


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "catalog"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("errno", [EIO, EMFILE, EACCES])
def test_a_host_that_asks_for_signatures_is_never_taken_for_one_that_does_not(
    root: Path, errno: int
) -> None:
    nothing(root)
    settings.choose_signing(*local(root), "m", policy="require")
    first, *done = looks_failing(lambda: settings.signing_of(*local(root), "m"), errno)
    assert first == "require"
    assert done and all(isinstance(each, OSError) for each in done)


def test_a_policy_of_the_catalog_s_is_not_overlooked_for_one_round(root: Path) -> None:
    nothing(root)
    (root / "catalog.kdl").write_text('signing "require"\n')

    def unsigned() -> object:
        reader = member(root)
        reader.site.exchange.commits = lambda tips: ((each, b"") for each in tips)  # type: ignore
        return collect(reader.site)

    for _ in blinded(root, unsigned):
        assert not (root / "agents/h2").exists()


def test_a_replay_is_refused_whatever_cannot_be_read(root: Path) -> None:
    collected(root)

    def replayed() -> object:
        reader = member(root)
        older = a_snapshot("h2", b"a/status\toffline\\nv1 1\\n", seq=4)
        reader.site.exchange.refs["h2"] = ("3" * 40, older)  # type: ignore[attr-defined]
        return collect(reader.site)

    for _ in blinded(root, replayed):
        assert (root / "agents/h2/a/status").read_bytes() == b"busy\nv1 1\n"


def test_a_node_is_not_made_anew(root: Path) -> None:
    nothing(root)
    first = node.ensure(*local(root), machine="m")
    for looking in LOOKING:
        done, _ = tried(
            lambda: node.ensure(*local(root), machine="m"), Kernel(None, EIO, always=looking)
        )
        assert done == first or isinstance(done, OSError), (looking, done)
        assert node.ensure(*local(root), machine="m") == first


def test_a_holder_that_cannot_be_heard_is_not_a_silent_one(root: Path) -> None:
    """It registered two hours ago, and beat a minute ago; nobody knows its process."""
    held_by_a(root)
    now_ms = START_MS + 2 * HOUR_MS
    at(root).beat("a1", "A", runs=lambda _: True, now_ms=now_ms - MINUTE_MS)

    def takes() -> object:
        return at(root).register(claim("B", now_ms), evidence=None, verdict_of=lambda _: "unknown")

    for done in blinded(root, takes):
        assert isinstance(done, (OSError, Conflict, St2Error)), done
        assert holder(root) == "A"


def test_no_word_of_a_session_that_is_gone_passes_for_one_of_the_next(root: Path) -> None:
    held_by_a(root)
    at(root).offline("a1", HOLD, now_ms=START_MS + 2)
    at(root).set_status("a1", "busy", allow=lambda: None, clock=lambda: START_MS + 9 * MINUTE_MS)
    for _ in blinded(root, lambda: starts(root)):
        if holder(root) == "B":
            written = parse((root / "agents/h1/a1/status").read_bytes())
            assert written.word == "offline"  # type: ignore[union-attr]


def test_nothing_is_left_out_of_a_publish_because_a_process_has_too_much_open(root: Path) -> None:
    held_by_a(root)
    taken: list[bytes] = []

    def publishes() -> object:
        site = member(root).site
        done = publish(site)
        taken.append(site.exchange.refs["h1"][1])  # type: ignore[attr-defined]
        return done

    for done in blinded(root, publishes, EMFILE):
        assert isinstance(done, (OSError, St2Error, Published)), done
    assert len(taken) > 1
    assert {raw.split(b"\n\n", 1)[1].count(b"a1/") for raw in taken} == {5}


def test_an_agent_whose_folder_cannot_be_looked_into_keeps_its_row(root: Path) -> None:
    held_by_a(root)
    (root / "agents/h1/a2").mkdir()
    (root / "agents/h1/a2/status").write_bytes(render("busy", 1))
    for found in blinded(root, lambda: survey(*local(root))):
        places = {place.agent for place in found.places}  # type: ignore[attr-defined]
        assert places == {"a1", "a2"} or found.findings  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "words",
    [
        *("agents", "agents --json --enrich", "why a1", "why h2.a --json", "status a1"),
        *("session show a1", "hosts --json", "tasks --json", "validate", "doctor"),
        *("driver expand a1", "run a1 --dry-run", "materialize --dry-run"),
        "completion bash --for 'st2 why '",
    ],
)
def test_whatever_cannot_be_read_no_command_is_at_fault(
    root: Path, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    collected(root)
    held_by_a(root, made=True)
    text = f'agent "a1" {{ host "h1"; workspace "{root}"; claude {{ prompt "x"; }} }}\n'
    (root / "agents/h1/a1/agent.kdl").write_text(text)
    line = ["--catalog", str(root), "--host", "h1", *shlex.split(words)]
    codes = set()
    for code in looks_failing(lambda: guarded(plan(line) or (lambda: run(line))), EMFILE):
        codes.add(code)
        said = capfd.readouterr()
        assert code in (0, 1), (code, said.err)
        assert "unexpected" not in said.err
        assert ".tmp-" not in said.err
    assert 0 in codes or words in ("doctor", "validate")


def holder(root: Path) -> str:
    found = at(root).reader.claim("h1", "a1")
    assert isinstance(found, Claim), found
    return found.session
