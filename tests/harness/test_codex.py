"""Codex itself: its transcript, its notice at the end of a turn, and its hooks once trusted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from harness.launches import one_turn
from harness.recorded import Recorded, assert_as_known
from harness.seat import TURN_S, Seat

pytestmark = pytest.mark.harness
Take = Callable[[str], Seat]
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


def test_the_line_that_driver_list_shows_makes_codex_tell_of_its_work(seat: Take) -> None:
    taken = seat("codex")
    shown = taken.cli("driver", "list").text.splitlines()
    (line,) = (each.strip() for each in shown if each.strip().startswith("notify = "))
    settings(taken, line)
    taken.launch(one_turn("codex", "go"))
    assert taken.run_agent().code == 0
    claim = taken.ended()
    assert claim["exit"] == "exit 0"
    word, stamp = (taken.folder() / "activity").read_text().split("\nv1 ")
    assert word == "running" and int(stamp) >= claim["started_ms"]
    assert json.loads(taken.cli("doctor", "--json").out)["findings"] == []


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


def test_started_by_hand_it_registers_itself_by_its_notice(seat: Take) -> None:
    """What it can be seen by is the end of its first turn."""
    taken = seat("codex")
    st2 = (str(taken.cli.command), "driver", "hook", "codex", "notify", "--identity", "h1.w")
    settings(taken, notify_by(*st2))
    taken.launch(one_turn("codex", "go"))
    process = taken.start_bare()
    assert process.wait(timeout=TURN_S) == 0
    claim = taken.claim()
    assert (claim["harness"], claim["registered_by"]) == ("codex", "hook")
