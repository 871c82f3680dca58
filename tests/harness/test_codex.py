"""Codex itself: its transcript, its notice at the end of a turn, and its hooks once trusted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from harness.launches import in_terminal, one_turn
from harness.recorded import Recorded, assert_as_known
from harness.seat import Seat
from harness.terminal import Terminal

pytestmark = pytest.mark.harness
Take = Callable[[str], Seat]
Open = Callable[..., Terminal]
CALL = '((call exec_command {"cmd": "true"}))'
EVENTS = (*("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"),)


def settings(seat: Seat, *lines: str) -> None:
    """Put lines of the user's own on top of codex's settings."""
    path = seat.cli.home / ".codex" / "config.toml"
    path.write_text("\n".join(lines) + "\n" + path.read_text())


def notify_by(*words: str) -> str:
    return f"notify = {json.dumps(words)}"


def test_its_notice_needs_no_trust_and_comes_with_the_fields_we_rely_on(seat: Take) -> None:
    taken = seat("codex")
    own = Recorded(taken.cli.home)
    settings(taken, notify_by(*own.command("notify")))
    taken.launch(one_turn("codex", f"go {CALL}"))
    assert taken.run_agent().code == 0
    assert_as_known("codex-notify", own.fields())
    (told,) = own.payloads("notify")
    assert (told["type"], told["cwd"]) == ("agent-turn-complete", str(taken.workspace))


def test_hooks_that_nobody_trusted_do_not_run_and_trusted_ones_send_the_known_fields(
    seat: Take,
) -> None:
    """Why nothing of ours is rendered for codex: without a word of the user's it does nothing."""
    taken = seat("codex")
    own = Recorded(taken.cli.home)
    hooks = {"hooks": {event: [own.hook(event)] for event in EVENTS}}
    (taken.cli.home / ".codex" / "hooks.json").write_text(json.dumps(hooks))
    taken.launch(one_turn("codex", f"go {CALL}"))
    assert taken.run_agent().code == 0
    assert own.events() == []
    taken.launch(one_turn("codex", f"go {CALL}", "--dangerously-bypass-hook-trust"))
    assert taken.run_agent().code == 0
    assert set(own.events()) == set(EVENTS)
    assert_as_known("codex-hooks", own.fields())


def test_the_line_that_driver_list_shows_tells_of_a_session_that_nobody_wraps(
    seat: Take, terminal: Open
) -> None:
    """At the end of its first turn; in a terminal, since ``exec`` does not wait for its notice."""
    taken = seat("codex")
    shown = taken.cli("driver", "list").text.splitlines()
    (line,) = (each.strip() for each in shown if each.strip().startswith("notify = "))
    settings(taken, line)
    taken.launch(in_terminal("codex", "go"))
    taken.cli.env["ST_AGENT"] = "h1.w"
    opened = terminal(taken, *taken.by_hand())
    opened.wait(taken.activity, "no activity")
    claim = taken.claim()
    assert (claim["harness"], claim["registered_by"]) == ("codex", "hook")
    assert (taken.row()["status"], taken.activity()) == ("available", "running")
    assert json.loads(taken.cli("doctor", "--json").out)["findings"] == []
