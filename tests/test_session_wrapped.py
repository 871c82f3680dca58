"""A wrapped session, when somebody claims its name or ends it by command."""

from __future__ import annotations

import json

from catalog.names import shown_token
from support.wrapped import Wrapped, is_running, until


def show(wrapped: Wrapped) -> dict[str, object]:
    return dict(json.loads(wrapped.cli("session", "show", "h1.w", "--json").out))


def test_while_its_harness_lives_nobody_registers_over_it(wrapped: Wrapped) -> None:
    """Case B2, where the holder has an owner: it is named with its harness."""
    process = wrapped.running("sleep", "60")
    before = (wrapped.claim(), wrapped.status())
    done = wrapped.cli("session", "register", "h1.w", "--session", "B", "--json")
    assert (done.code, json.loads(done.out)["error"]) == (1, "agent_conflict")
    assert f"(harness pid {process.pid}, " in done.errors
    assert (wrapped.claim(), wrapped.status()) == before


def test_its_owner_leaves_at_its_next_beat_when_the_name_is_another_s_by_force(
    wrapped: Wrapped,
) -> None:
    """Case B15, where nobody wraps the session that took it."""
    process = wrapped.running("sleep", "60", beat_ms=300)
    token, owner = wrapped.claim()["session"], wrapped.owner_pid()
    done = wrapped.cli("session", "register", "h1.w", "--session", "B", "--force")
    told = json.loads(done.out)
    assert (told["took_over"], told["previous"], told["generation"]) == (True, token, 2)
    assert (
        f"replaced session {shown_token(token)}, whose harness pid {process.pid} still runs"
        in done.errors
    )
    assert show(wrapped)["owner"] == {"running": False}, "the old owner is none of this session's"
    until(lambda: not is_running(owner))
    claim, status, held = (
        wrapped.claim(),
        wrapped.status(),
        (wrapped.folder() / "held").read_bytes(),
    )
    assert is_running(process.pid)
    process.kill()
    process.wait()
    refused = wrapped.cli("status", "--set", "busy", env={"ST_AGENT": "h1.w", "ST2_SESSION": token})
    assert refused.code == 1 and "held by session B" in refused.errors
    assert (wrapped.claim(), wrapped.status()) == (claim, status)
    assert (wrapped.folder() / "held").read_bytes() == held


def test_an_end_by_command_is_the_end_and_its_owner_adds_nothing(wrapped: Wrapped) -> None:
    process = wrapped.running("sleep", "60", beat_ms=300)
    owner = wrapped.owner_pid()
    done = wrapped.cli("session", "end", "h1.w")
    assert done.code == 0
    assert done.errors == (
        f"warning: h1.w: its harness, pid {process.pid}, still runs, "
        "and nothing speaks for it now\n"
    )
    until(lambda: not is_running(owner))
    before = (wrapped.claim(), wrapped.status())
    assert (before[0]["end_reason"], before[0]["exit"], wrapped.word()) == (
        *("stopped", None, "offline"),
    )
    assert is_running(process.pid), "no command of ours ends a process"
    process.kill()
    process.wait()
    assert (wrapped.claim(), wrapped.status()) == before


def test_a_beat_of_its_own_token_from_inside_is_its_holder_s(wrapped: Wrapped) -> None:
    """`held` is then written too; the owner goes on as before."""
    out = wrapped.cli.home / "done"
    script = f'"$1" beat 2>"$2"; "$1" activity touch 2>>"$2"; mv "$2" {out}; exec sleep 60'
    command = str(wrapped.cli.command)
    process = wrapped.running("sh", "-c", script, "sh", command, f"{out}.part", beat_ms=300)
    until(out.exists)
    assert out.read_text() == ""
    token = wrapped.claim()["session"]
    for name, word in (("held", token), ("seen", token), ("activity", "running")):
        assert (wrapped.folder() / name).read_text().startswith(f"{word}\nv1 "), name
    stamp = wrapped.stamp_ms()
    until(lambda: wrapped.stamp_ms() > stamp)
    process.kill()
    assert wrapped.ended()["exit"] == "signal 9"
