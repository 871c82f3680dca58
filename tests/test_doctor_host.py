"""`st2 doctor` about this host's own state: locks, the log, hooks, clocks, lost owners."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

import pytest

from catalog.finding import Finding
from catalog.layout import Layout
from catalog.system import log
from catalog.system.files import Files
from catalogs import agent, claim, declared, now_ms, record
from conftest import Cli
from drivers.hook_trace import FALLBACK, Trace
from st2.serve import doctor
from support.wrapped import Wrapped
from test_doctor_command import diagnosed, named


@pytest.fixture
def layout(cli: Cli) -> Layout:
    """The paths of the catalog, with a folder of this host in it."""
    assert cli("init").code == 0
    return Layout(str(cli.catalog), "h1")


def test_an_owner_that_is_gone_beside_a_living_harness(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60")
    assert diagnosed(wrapped.cli) == []
    wrapped.kill_owner()
    [finding] = diagnosed(wrapped.cli)
    assert (finding["code"], finding["path"]) == ("owner-lost", "agents/h1/w")
    assert f"harness pid {process.pid} alive" in finding["message"]


@pytest.mark.parametrize("spoil", ["writable", "symlink", "file"])
def test_a_folder_of_this_host_that_is_not_safe(cli: Cli, spoil: str, tmp_path: Path) -> None:
    local = cli.catalog / ".st2"
    if spoil == "writable":
        local.mkdir()
        local.chmod(0o777)
    elif spoil == "symlink":
        local.symlink_to(tmp_path)
    else:
        local.write_text("")
    [finding] = diagnosed(cli)
    assert (finding["code"], finding["path"]) == ("local-state-unsafe", ".st2")
    assert finding["hint"] == "make .st2 a folder of your own with mode 0700"


@pytest.mark.parametrize(("age_s", "found"), [(3, []), (11, ["lock-held"])])
@pytest.mark.parametrize(
    "name", ["lock/a1", "publisher", "node.lock", "settings.lock", "cache.lock", "materialize"]
)
def test_a_lock_that_is_held_for_longer_than_anybody_waits(
    cli: Cli, layout: Layout, name: str, age_s: int, found: list[str]
) -> None:
    path = layout.local(name)
    with Files(layout.root).lock(path, wait_ms=0):
        then = time.time() - age_s
        os.utime(layout.absolute(path), (then, then))
        findings = diagnosed(cli)
    assert named(findings) == [(code, path) for code in found]
    for each in findings:
        assert f"held by pid {os.getpid()} for 1" in each["message"]
    assert diagnosed(cli) == []


def test_a_lock_of_somebody_who_did_not_say_who(cli: Cli, layout: Layout) -> None:
    path = Path(layout.absolute(layout.lock("a1")))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xffnonsense")
    os.utime(path, (5, 5))
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        [finding] = diagnosed(cli)
    assert finding["message"].startswith("held by somebody for ")


@pytest.mark.parametrize("kind", ["folder", "link", "device"])
@pytest.mark.parametrize("what", ["a lock", "an owner's lock", "process evidence"])
def test_something_else_in_the_place_of_a_lock(
    cli: Cli, layout: Layout, kind: str, what: str
) -> None:
    """Case F9, as it is found afterwards."""
    places = {"a lock": layout.lock, "an owner's lock": layout.owner_lock}
    place = places.get(what, layout.process)("a1")
    path = Path(layout.absolute(place))
    path.parent.mkdir(parents=True)
    make = {
        "folder": path.mkdir,
        "link": lambda: path.symlink_to("x"),
        "device": lambda: os.mkfifo(path),
    }
    make[kind]()
    [finding] = diagnosed(cli)
    assert (finding["code"], finding["path"]) == ("lock-odd", place)
    assert finding["message"] == f"found a {kind} in the place of {what}, wanted a file"


class TestWrites:
    """What an owner could not write counts until it has written again."""

    def failed(self, layout: Layout, at_ms: int, what: str = "beat not written: no space") -> None:
        assert log.append(Files(layout.root), layout.log(), f"owner of h1.a1: {what}", now_ms=at_ms)

    def test_a_failure_is_told_with_how_often_and_when_last(self, cli: Cli, layout: Layout) -> None:
        agent(cli.catalog, status=record("busy", now_ms() - 60_000))
        for second in (3, 2):
            self.failed(layout, now_ms() - second * 1_000)
        [finding] = diagnosed(cli)
        assert (finding["code"], finding["path"]) == ("write-failed", layout.log())
        start = "owner of h1.a1: beat not written: no space, 2 times, last 20"
        assert finding["message"].startswith(start)

    def test_one_in_the_log_that_was_put_aside_counts(self, cli: Cli, layout: Layout) -> None:
        agent(cli.catalog, status=record("busy", now_ms() - 60_000))
        self.failed(layout, now_ms() - 1_000)
        path = Path(layout.absolute(layout.log()))
        path.rename(f"{path}.1")
        assert [each["code"] for each in diagnosed(cli)] == ["write-failed"]

    @pytest.mark.parametrize(("later_ms", "found"), [(0, ["write-failed"]), (1, [])])
    def test_a_beat_after_it_settles_it(
        self, cli: Cli, layout: Layout, later_ms: int, found: list[str]
    ) -> None:
        """Case D6."""
        failed_ms = now_ms() - 1_000
        self.failed(layout, failed_ms)
        stamp = record("busy", failed_ms + later_ms)
        agent(cli.catalog, status=stamp, session=claim(started_ms=5))
        assert [each["code"] for each in diagnosed(cli)] == found

    def test_an_end_after_it_settles_it(self, cli: Cli, layout: Layout) -> None:
        failed_ms = now_ms() - 1_000
        self.failed(layout, failed_ms)
        ended = claim(started_ms=5, ended_ms=failed_ms + 1, end_reason="exited")
        agent(cli.catalog, session=ended)
        assert diagnosed(cli) == []

    def test_other_lines_of_the_log_are_no_failures(self, cli: Cli, layout: Layout) -> None:
        self.failed(layout, now_ms(), "no pidfd here, its harness is looked at every 2000 ms")
        path = Path(layout.absolute(layout.log()))
        odd = b"\xff\nowner of\n not written: \nT hosts: x not written: y\n"
        path.write_bytes(path.read_bytes() + odd)
        assert diagnosed(cli) == []

    def test_a_line_without_a_time_is_no_fault_of_ours(self, cli: Cli, layout: Layout) -> None:
        self.failed(layout, now_ms())
        path = Path(layout.absolute(layout.log()))
        path.write_bytes(b"yesterday owner of h1.a1: beat not written: no space\n")
        [finding] = diagnosed(cli)
        assert finding["message"] == "owner of h1.a1: beat not written: no space, yesterday"


class TestCaseF19:
    """Which hook failed, why, how often, when last."""

    def leave(self, files: Files, path: str, times: int) -> None:
        for second in range(times):
            trace = Trace(
                hook="claude Stop",
                identity="h1.a1",
                why="/nowhere: no such folder, wanted a catalog",
                now_ms=1_700_000_000_000 + second * 1_000,
            )
            assert trace.leave(files, path)

    def test_what_lies_with_the_catalog(self, cli: Cli, layout: Layout) -> None:
        self.leave(Files(layout.root), layout.hook_log(), 3)
        [finding] = diagnosed(cli)
        assert (finding["code"], finding["path"]) == ("hook-failed", layout.hook_log())
        assert finding["message"] == (
            "hook claude Stop of h1.a1: /nowhere: no such folder, wanted a catalog; "
            "3 times, last 2023-11-14T22:13:22.000Z"
        )

    def test_what_no_catalog_could_take(self, cli: Cli) -> None:
        folder = cli.home / ".local/state/st2"
        folder.mkdir(parents=True)
        self.leave(Files(str(folder)), FALLBACK, 1)
        [finding] = diagnosed(cli)
        assert (finding["code"], finding["path"]) == ("hook-failed", f"{folder}/{FALLBACK}")
        assert "; once, last " in finding["message"]


def test_a_host_whose_clock_is_ahead(cli: Cli, layout: Layout, tmp_path: Path) -> None:
    """Case E15: the finding of `st2 hosts` is doctor's too."""
    remote = str(tmp_path / "remote.git")
    assert cli("init", "--remote", remote).code == 0
    other = Cli(tmp_path / "h2", cli.home, {**cli.env, "CATALOG": str(tmp_path / "h2")})
    other.env["ST2_HOST"] = "h2"
    assert other("init", "--remote", remote).code == 0
    assert other("sync").code == cli("sync").code == 0
    held = next(Path(layout.absolute(layout.collected())).glob("*"))
    told = held.read_text()
    stamp = next(
        word
        for word in told.replace('"', " ").replace(",", " ").split()
        if word.isdigit() and len(word) == 13
    )
    held.write_text(told.replace(stamp, str(int(stamp) + 3_600_000)))
    found = diagnosed(cli)
    assert ("clock-ahead", "hosts/h2/beat") in named(found)


def test_an_agent_that_something_else_starts_is_fine(cli: Cli) -> None:
    agent(cli.catalog, kdl=declared())
    assert diagnosed(cli) == []


@pytest.mark.parametrize(
    "code", ["case-collision", "signature-doubted", "snapshot-refused", "sync-failed"]
)
def test_the_way_out_of_what_a_host_did_is_no_agent_s_evidence(code: str) -> None:
    found = doctor._hinted(Finding(code, "h2: it is so", "hosts/h2/beat"))
    assert found.hint and "st2 why" not in found.hint
