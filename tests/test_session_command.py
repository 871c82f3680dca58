"""`st2 session register` and `end` as they are installed: who gets the name, who is told what."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from catalogs import agent, claim, now_ms, record
from conftest import Cli
from support.unwrapped import Unwrapped, told


@pytest.fixture
def a1(cli: Cli) -> Unwrapped:
    """Agent a1 of h1, without a session."""
    return Unwrapped(cli)


class TestRegister:
    def test_a_free_name_is_claimed(self, a1: Unwrapped) -> None:
        """Case B1."""
        done = a1.register("A")
        assert (done.code, done.err) == (0, b"")
        assert told(done) == {
            "agent": "a1",
            "session": "A",
            "created": True,
            "took_over": False,
            "previous": None,
            "generation": 1,
        }
        written = a1.claim()
        assert (written["session"], written["registered_by"]) == ("A", "register")
        stamp = written["started_ms"]
        assert a1.bytes("held", "status") == {
            "held": record("A", stamp),
            "status": record("available", stamp),
        }
        assert (a1.raw("seen"), a1.raw("activity")) == (None, None)

    @pytest.mark.parametrize("by_variable", [True, False])
    def test_another_session_is_refused_while_the_first_is_live(
        self, a1: Unwrapped, tree_hash: Callable[..., str], by_variable: bool
    ) -> None:
        """Cases B2 and B6: declared by the environment, and by an option alone."""
        a1.register("A-long-token", by_variable=by_variable)
        before, seen = tree_hash(mtimes=True), a1.claim()["started_ms"]
        done = a1.register("B", by_variable=by_variable)
        assert (done.code, tree_hash(mtimes=True)) == (1, before)
        assert told(done) == {
            "conflict": True,
            "error": "agent_conflict",
            "existing_session_id": "A-long-token",
            "last_seen_ms": seen,
            "session_hint": "A-long-t",
        }
        assert done.errors.splitlines()[0] == (
            "st2: h1.a1: held by the live session A-long-token, wanted a free name"
        )
        plain = a1.cli("session", "register", "a1", "--session", "B")
        assert (plain.code, plain.out, plain.err) == (1, b"", done.err)

    @pytest.mark.parametrize("left_ms", [60_000, 0])
    def test_a_silent_session_holds_its_name_for_1_800_000_ms(
        self, a1: Unwrapped, left_ms: int
    ) -> None:
        """Case B7, by written stamps: a minute before the edge, and after it."""
        a1.register("A")
        a1.rewrite(started_ms=1)
        a1.put("held", "A", now_ms() - 1_800_000 + left_ms)
        done = a1.register("B")
        if left_ms:
            assert (done.code, told(done)["existing_session_id"]) == (1, "A")
            return
        assert (done.code, told(done)["took_over"], told(done)["previous"]) == (0, True, "A")
        assert done.errors == ("st2: h1.a1: replaced session A, of which no process was recorded\n")

    def test_a_stranger_s_beats_keep_no_session_alive(self, a1: Unwrapped) -> None:
        """Case B8."""
        a1.register("A")
        assert a1.beat("B").code == 0
        a1.rewrite(started_ms=1)
        a1.put("held", "A", now_ms() - 1_800_000)
        assert a1.beat("B").code == 0 and (a1.raw("seen") or b"").startswith(b"B\n")
        done = told(a1.register("B"))
        assert (done["took_over"], done["previous"], done["generation"]) == (True, "A", 2)

    def test_force_takes_a_fresh_name_and_says_so(self, a1: Unwrapped) -> None:
        """Case B9."""
        a1.register("A")
        done = a1.register("B", "--force")
        assert (done.code, told(done)["took_over"], told(done)["generation"]) == (0, True, 2)
        assert "replaced session A" in done.errors
        assert a1.raw("held") == record("B", a1.claim()["started_ms"])

    def test_the_holder_that_comes_again_keeps_its_claim(self, a1: Unwrapped) -> None:
        """Case B10, silent for two hours."""
        a1.register("A")
        ago = now_ms() - 7_200_000
        a1.rewrite(started_ms=ago)
        a1.put("held", "A", ago)
        a1.put("activity", "running", ago)
        before = a1.bytes("session.json", "status", "activity", "seen")
        done = told(a1.register("A"))
        assert (done["created"], done["took_over"], done["generation"]) == (False, False, 1)
        assert a1.bytes(*before) == before
        held = a1.raw("held") or b""
        assert held.startswith(b"A\n") and int(held.split()[2]) >= ago + 7_200_000

    def test_a_holder_that_took_over_once_takes_over_nothing_when_it_comes_again(
        self, a1: Unwrapped
    ) -> None:
        a1.register("A")
        a1.register("B", "--force")
        done = told(a1.register("B"))
        assert (done["created"], done["took_over"], done["previous"]) == (False, False, None)

    def test_a_resumed_session_is_a_new_claim(self, a1: Unwrapped) -> None:
        """Case B10, ended."""
        a1.register("A")
        assert a1.cli("session", "end", "a1").code == 0
        done = told(a1.register("A"))
        assert (done["created"], done["took_over"], done["generation"]) == (True, False, 2)
        assert a1.claim()["ended_ms"] is None and a1.claim()["end_reason"] is None

    def test_after_a_clean_end_nothing_is_taken_over_and_nothing_is_left(
        self, a1: Unwrapped
    ) -> None:
        """Case B11."""
        a1.register("A")
        assert a1.cli("activity", "touch", "a1", "--session", "A").code == 0
        assert a1.raw("activity") is not None
        assert a1.cli("session", "end", "a1").code == 0
        done = told(a1.register("B"))
        assert (done["created"], done["took_over"], done["previous"]) == (True, False, None)
        assert a1.raw("activity") is None
        assert (a1.raw("held") or b"").startswith(b"B\n")

    @pytest.mark.parametrize(
        "raw",
        [
            b'{\n  "agent": "a1",\n',
            b'{"v":2,"agent":"a1","host":"h1"}',
            b'<<<<<<< ours\n{"v":1}\n=======\n{"v":1}\n>>>>>>> theirs\n',
        ],
        ids=["cut short", "version 2", "conflict markers"],
    )
    def test_a_broken_claim_is_replaced_by_force_alone(
        self, a1: Unwrapped, tree_hash: Callable[..., str], raw: bytes
    ) -> None:
        """Case B16."""
        a1.put("status", "busy", now_ms())
        (a1.folder / "session.json").write_bytes(raw)
        [row] = json.loads(a1.cli("agents", "--json").out)
        assert (row["status"], row["presence"]["why"], row["session"]) == ("busy", "fresh", None)
        assert [each["code"] for each in row["findings"]] == ["claim-unreadable"]
        before = tree_hash(mtimes=True)
        for args in (("register", "a1", "--session", "B"), ("end", "a1")):
            done = a1.cli("session", *args)
            assert (done.code, tree_hash(mtimes=True)) == (1, before)
            assert done.errors.startswith("st2: agents/h1/a1/session.json: found ")
        done = a1.register("B", "--force")
        assert (done.code, told(done)["generation"], a1.claim()["session"]) == (0, 1, "B")

    def test_of_eight_that_register_at_once_one_gets_the_name(self, a1: Unwrapped) -> None:
        racers = [
            a1.cli.start("session", "register", "a1", "--session", f"s{at}") for at in range(8)
        ]
        codes = {f"s{at}": racer.wait(60) for at, racer in enumerate(racers)}
        [winner] = [token for token, code in codes.items() if code == 0]
        assert sorted(codes.values()) == [0, *[1] * 7]
        assert (a1.claim()["session"], a1.claim()["generation"]) == (winner, 1)
        assert (a1.raw("held") or b"").startswith(winner.encode())


class TestCaller:
    @pytest.mark.parametrize(
        "command",
        [
            *(["status", "--set", "busy"], ["beat"], ["session", "register"]),
            *(["session", "end"], ["activity", "touch"], ["activity", "done", "success"]),
        ],
        ids=" ".join,
    )
    @pytest.mark.parametrize("named", [None, "h2.b"])
    def test_without_an_agent_or_with_another_host_s_nothing_is_written(
        self, a1: Unwrapped, tree_hash: Callable[..., str], command: list[str], named: str | None
    ) -> None:
        """Case B14; the last line shows that the same look does see a write."""
        theirs = claim(host="h2", agent="b", session="A")
        agent(a1.cli.catalog, "b", "h2", session=theirs)
        before = tree_hash(mtimes=True)
        done = a1.cli(*command, env={"ST_AGENT": named, "ST2_SESSION": "A"})
        assert (done.code, done.out, tree_hash(mtimes=True)) == (1, b"", before)
        error, hint = done.errors.splitlines()
        assert error.startswith("st2: ") and hint.startswith("hint: ")
        assert a1.register("A").code == 0 and tree_hash(mtimes=True) != before

    @pytest.mark.parametrize(
        "command", [["session", "register", "a1"], ["activity", "touch", "a1"]]
    )
    def test_without_a_session_there_is_a_way_out(self, a1: Unwrapped, command: list[str]) -> None:
        done = a1.cli(*command)
        assert (done.code, done.errors) == (
            *(
                1,
                "st2: session: none named, and no harness around this that tells one\n"
                "hint: name one that stays the same for its whole life, "
                "by --session or ST2_SESSION\n",
            ),
        )

    @pytest.mark.parametrize("bad", ["-x", "a b", "", "é", "a" * 129, "../x"])
    @pytest.mark.parametrize(
        "command", [["session", "register", "a1"], ["beat", "a1"], ["activity", "touch", "a1"]]
    )
    def test_a_token_that_breaks_the_rule_is_one_sentence(
        self, a1: Unwrapped, tree_hash: Callable[..., str], command: list[str], bad: str
    ) -> None:
        before = tree_hash()
        done = a1.cli(*command, f"--session={bad}")
        assert (done.code, done.out, tree_hash()) == (2, b"", before)
        assert done.errors.startswith("st2: session token: found ")
        assert done.errors.count("\n") == 1
        if bad:
            assert a1.cli(*command, env={"ST2_SESSION": bad}).err == done.err

    def test_the_option_wins_over_the_variable_and_that_over_what_a_harness_tells(
        self, a1: Unwrapped
    ) -> None:
        env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "told"}
        for more, named, wanted in (
            ({}, (), "told"),
            ({"ST2_SESSION": "declared"}, (), "declared"),
            ({"ST2_SESSION": "declared"}, ("--session", "given"), "given"),
        ):
            done = a1.cli("session", "register", "a1", "--force", *named, env={**env, **more})
            assert told(done)["session"] == wanted
            assert a1.claim()["harness"] == "claude"
