"""The fast path and click give the same answer, or the fast path stands aside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogs import T, agent, claim, declared, record
from conftest import Cli
from st2.boundary import guarded
from st2.cli.main import run as click_run
from st2.fast import plan

NAMES = ["a1", "h1.a1", "h2.a1", "b", "ghost", "../x", "-x", "", "a1\n"]
TOKENS = [
    *(
        "--json",
        "--enrich",
        "--routable",
        "--now",
        str(T),
        "--status",
        "busy",
        "unknown",
        "nonsense",
    ),
    *("--host", "h1", "h2", "H!", "--identity", "--json=1", "--now=5", "--now=x", "--", "--help"),
    *("--session", "s1", "s2", "--session=s1", "--session=-", "touch", "done", "success"),
    *("--set", "--status=busy", "--identity=h1.a1", "--now=-1", "99999999999999999999", "--bogus"),
    *NAMES,
]
LINES = st.builds(
    lambda name, rest: [name, *rest],
    st.sampled_from(["agents", "agents", "status", "beat"]),
    st.lists(st.sampled_from(TOKENS), max_size=5),
)
WORKS = st.builds(
    lambda first, rest: ["activity", *first, *rest],
    st.sampled_from([[], ["touch"], ["done"], ["done", "success"], ["done", "no"]]),
    st.lists(st.sampled_from([*NAMES, "--session", "s1", "s2", "--bogus", "--"]), max_size=4),
)
VERBS = st.builds(
    lambda verb, rest: ["driver", verb, *rest],
    st.sampled_from(["exec-session", "codex", "claude-session", "pi-session", "nope"]),
    st.lists(
        st.sampled_from(
            [
                *("--identity", "--runtime-id", "h1.b", "h2.a1", "ghost", "--force", "--beat"),
                *("5", "100", "x", "--", "--bogus", "--identity=h1.b", "..", "--help"),
            ]
        ),
        max_size=8,
    ),
)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("fast")
    agent(root, "a1", "h1", status=record("busy", T), session=claim(), kdl=declared())
    agent(root, "a1", "h2", status=record("away", T))
    agent(root, "b", "h1", kdl=declared("b", body='    desired-state "suspended" reason="x"\n'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CATALOG", str(root))
        patch.setenv("ST2_HOST", "h1")
        patch.delenv("ST_AGENT", raising=False)
        yield root


def told(capfd: pytest.CaptureFixture[str], code: int) -> tuple[int, str, str]:
    out, err = capfd.readouterr()
    return code, out, err


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    line=st.one_of(LINES, VERBS, WORKS),
    front=st.sampled_from([[], ["--host", "h2"], ["--host=H!"]]),
)
@example(line=["status", "a1"], front=["--host", "h2"])
@example(line=["agents", "--json", "--now", str(T)], front=[])
@example(line=["beat", "h1.a1", "--session", "s1"], front=[])
@example(line=["beat", "h1.a1", "--session=../x"], front=[])
@example(line=["activity", "touch", "h1.a1", "--session=s2"], front=[])
@example(line=["activity", "done", "success", "h1.a1", "--session", "s1"], front=[])
@example(
    line=["driver", "codex", "--identity", "h1.b", "--runtime-id", "h1.b", "--", "x"], front=[]
)
def test_what_the_fast_path_serves_click_serves_alike(
    catalog: Path, capfd: pytest.CaptureFixture[str], line: list[str], front: list[str]
) -> None:
    if "--now" not in line and line[0] == "agents":
        line = [*line[:1], "--now", str(T), *line[1:]]
    served = plan([*front, *line])
    if served is None:
        return
    fast = told(capfd, guarded(served))
    slow = told(capfd, guarded(lambda: click_run([*front, *line])))
    assert fast == slow


@pytest.mark.parametrize(
    "line",
    [
        ["status", "a1"],
        ["status", "a1", "--set", "busy"],
        ["status", "--set=busy", "a1"],
        ["agents"],
        ["agents", "--json", "--status", "busy", "--host", "h1"],
        ["agents", "--routable"],
        ["beat"],
        ["beat", "a1", "--session=t"],
        ["activity", "touch", "--session", "t"],
        ["activity", "done", "success", "a1"],
        ["--host", "h1", "--catalog", "x", "agents", "--now", "5"],
        ["driver", "codex", "--identity", "h1.b", "--runtime-id", "r", "--force", "--", "x", "--y"],
        ["driver", "claude-mcp", "--identity", "h1.b"],
        ["driver", "claude", "--identity=h1.b"],
        ["--catalog", "x", "driver", "hook", "claude", "Stop", "--bogus"],
        ["driver", "hook"],
        ["--version"],
        ["--help"],
        ["status", "-h"],
    ],
    ids=" ".join,
)
def test_the_plain_forms_are_served_fast(line: list[str]) -> None:
    assert plan(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["status", "a1", "a2"],
        ["agents", "--watch"],
        ["beat", "a1", "a2"],
        ["beat", "--session"],
        ["activity"],
        ["activity", "done"],
        ["activity", "touch", "a1", "a2"],
        ["activity", "touch", "a1", "--help"],
        ["--version", "agents"],
        ["--host", "h1", "--help"],
        ["agents", "--now", "-1"],
        ["driver", "expand", "a1"],
        ["driver", "codex", "--", "x"],
        ["driver", "claude-mcp"],
        ["driver", "claude-mcp", "--identity", "h1.b", "more"],
        ["why", "a1"],
    ],
    ids=" ".join,
)
def test_whatever_is_unusual_is_left_to_click(line: list[str]) -> None:
    assert plan(line) is None


COLLECTS = """
import gc, os, sys
from st2 import __main__, fast
from st2.cli import main
from st2.serve import mcp, status

def told(*_):
    print(gc.isenabled(), flush=True)
    return 0

status.run = main.run = told
mcp.Server = lambda *_, **__: told()
mcp._put_output_aside = lambda: None
sys.argv = ["st2", *sys.argv[1:]]
__main__.start()
"""
"""Says whether garbage is collected, where the command would begin to work."""


@pytest.mark.parametrize(
    ("line", "collects"),
    [("status a1", False), ("driver claude-mcp --identity h1.a1", True), ("doctor", True)],
)
def test_garbage_is_collected_by_what_stays(cli: Cli, line: str, collects: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLLECTS, *line.split()],
        env=cli.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == (f"{collects}\n", 0), done.stderr
