"""Starting an owner: what it is told, what it answers, and what is said when there is none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.evidence import Evidence
from catalog.layout import Layout
from catalog.system.files import Files
from catalogs import claim
from drivers.job import HELD, KINDS, LAUNCH, READY, Job, decode, is_whole
from drivers.spawn import Link, NoOwner
from support.wrapped import Wrapped

PIDS = Path("/sys/fs/cgroup/pids")
texts = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]))
jobs = st.builds(
    Job,
    kind=st.sampled_from(KINDS),
    root=texts,
    host=texts,
    agent=texts,
    token=texts,
    generation=st.integers(0, 2**31),
    pid=st.integers(1, 2**22),
    start=texts,
    watched=st.booleans(),
    beat_ms=st.integers(1, 10**9),
    transcript=texts,
)


@given(jobs, st.binary(max_size=8))
def test_a_job_arrives_as_it_was_sent_and_what_follows_it_is_kept(job: Job, rest: bytes) -> None:
    block = job.encode()
    assert is_whole(block + rest)
    assert decode(block + rest) == (job, rest)


@given(jobs, st.data())
def test_a_block_that_was_cut_short_is_not_whole(job: Job, data: st.DataObject) -> None:
    block = job.encode()
    assert not is_whole(block[: data.draw(st.integers(0, len(block) - 1))])


def test_a_catalog_path_of_any_bytes_survives_the_pipe() -> None:
    root = os.fsdecode(b"/tmp/\xff\xfe")
    job = Job(
        kind=LAUNCH,
        root=root,
        host="h1",
        agent="w",
        token="t",
        generation=1,
        pid=1,
        start="",
        watched=True,
        beat_ms=1,
    )
    found, rest = decode(job.encode() + b"E\0x")
    assert (found.root, found.transcript, found.watched, rest) == (root, "", True, b"E\0x")


def test_a_job_is_of_its_claim_and_of_the_process_of_its_evidence() -> None:
    seen = Evidence(token="x", generation=9, pid=7, start="100", boot="b")
    made = Job.of(
        claim(host="h2", agent="w", session="t", generation=3),
        seen,
        kind=LAUNCH,
        root="/c",
        watched=True,
        beat_ms=5,
        transcript="p",
    )
    assert made == Job(
        kind=LAUNCH,
        root="/c",
        host="h2",
        agent="w",
        token="t",
        generation=3,
        pid=7,
        start="100",
        watched=True,
        beat_ms=5,
        transcript="p",
    )


@pytest.mark.parametrize(("watched", "told"), [(True, b"1"), (False, b"0")])
def test_a_job_travels_as_its_fields_in_their_order(watched: bool, told: bytes) -> None:
    job = Job(
        kind=LAUNCH,
        root="/c",
        host="h1",
        agent="w",
        token="t",
        generation=3,
        pid=7,
        start="100",
        watched=watched,
        beat_ms=5,
        transcript="p",
    )
    assert job.encode() == b"launch\0/c\0h1\0w\0t\x003\x007\x00100\0" + told + b"\x005\0p\0"


@pytest.fixture
def link() -> Iterator[tuple[Link, int, int]]:
    """A link, and the ends that an owner would have."""
    reading, writing = os.pipe()
    answers, answering = os.pipe()
    yield Link(writing, answers), reading, answering
    for fd in (reading, answering):
        try:
            os.close(fd)
        except OSError:
            pass
    os.close(answers)


def test_an_owner_that_answers_is_ready(link: tuple[Link, int, int]) -> None:
    os.write(link[2], READY)
    link[0].wait_ready()


@pytest.mark.parametrize(
    ("answer", "said"),
    [(b"", "it ended before it was ready"), (HELD + b"lock: held", "lock: held")],
)
def test_an_owner_that_is_not_ready_is_no_owner_and_says_why(
    link: tuple[Link, int, int], answer: bytes, said: str
) -> None:
    if answer:
        os.write(link[2], answer)
    os.close(link[2])
    with pytest.raises(NoOwner) as missing:
        link[0].wait_ready()
    assert str(missing.value) == said


def test_talking_to_an_owner_that_has_died_is_harmless(link: tuple[Link, int, int]) -> None:
    """The interpreter that tests run in ignores SIGPIPE, as the wrapper does until exec."""
    os.close(link[1])
    link[0].go()
    link[0].go_wrong("ENOENT")
    link[0].hang_up()


def test_the_wait_for_what_the_owner_writes_is_bounded(link: tuple[Link, int, int]) -> None:
    assert not link[0].wait_served(50)
    os.write(link[2], b"x")
    assert not link[0].wait_served(50)
    os.close(link[2])
    assert link[0].wait_served(50)


@pytest.fixture
def no_forks() -> Iterator[Path]:
    """A control group in which nothing can fork."""
    group = PIDS / "st2-test-no-forks"
    try:
        group.mkdir()
    except OSError:
        pytest.skip("needs the pids controller, and root")
    (group / "pids.max").write_text("1")
    yield group
    group.rmdir()


def test_where_nothing_can_fork_it_is_said_and_the_harness_runs(
    wrapped: Wrapped, no_forks: Path
) -> None:
    """Case A13."""
    process = wrapped.start(
        "sh",
        "-c",
        "exit 6",
        popen={
            "stderr": -1,
            "preexec_fn": lambda: (no_forks / "cgroup.procs").write_text(str(os.getpid())),
        },
    )
    assert process.wait() == 6
    assert process.stderr is not None
    assert process.stderr.read() == (
        b"st2: h1.w: no owner (resource temporarily unavailable), "
        b"the program runs without presence\n"
    )
    assert wrapped.status() is None
    assert wrapped.run("true").code == 0


def test_a_held_lock_is_said_by_the_owner_that_cannot_have_it(tmp_path: Path) -> None:
    from catalog.system.processes import host_processes
    from drivers.spawn import start_owner

    layout, files = Layout(str(tmp_path), "h1"), Files(str(tmp_path))
    job = Job(
        kind=LAUNCH,
        root=str(tmp_path),
        host="h1",
        agent="w",
        token="t0",
        generation=1,
        pid=os.getpid(),
        start="",
        watched=True,
        beat_ms=1_000,
    )
    with files.lock(layout.owner_lock("w"), wait_ms=0):
        link = start_owner(job, host_processes().open(os.getpid()), files)
        with pytest.raises(NoOwner) as missing:
            link.wait_ready()
    link.hang_up()
    assert str(missing.value).startswith(f".st2/h1/owner/w: held by pid {os.getpid()} for ")
