"""Claude Code itself: our hooks and our server beside the user's own, in its workspace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drivers.claude import HOOK_EVENTS
from harness.launches import in_terminal, one_turn
from harness.recorded import Recorded, assert_as_known
from harness.seat import TURN_S, Seat
from harness.terminal import Terminal
from support.wrapped import until

pytestmark = pytest.mark.harness
Take = Callable[[str], Seat]
Open = Callable[..., Terminal]
TOOLS = "--allowedTools=Bash,mcp__st2__agents,mcp__st2__set_status"
OWN_SERVER = {"command": "true", "args": ["it's", "theirs"], "env": {"A": "ü"}}


def write(path: Path, text: str) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path.read_bytes()


def recording(seat: Seat) -> Recorded:
    """The user's own hooks: one for each event, in the file into which ours go too."""
    own = Recorded(seat.cli.home)
    hooks = {event: [own.hook(event)] for event in HOOK_EVENTS}
    settings = {"permissions": {"allow": ["Read"]}, "hooks": hooks}
    write(seat.workspace / ".claude/settings.local.json", json.dumps(settings, indent=4))
    return own


def stamp(seat: Seat) -> bytes:
    """The activity as it stands, to the millisecond."""
    return (seat.folder() / "activity").read_bytes()


def findings(seat: Seat) -> list[dict[str, Any]]:
    """What doctor has to say: every hook of ours that failed or was refused is in it."""
    found: list[dict[str, Any]] = json.loads(seat.cli("doctor", "--json").out)["findings"]
    return found


def test_work_that_lands_moves_activity_and_no_hook_of_ours_fails(seat: Take) -> None:
    taken = seat("claude")
    taken.launch(one_turn("claude", 'go ((call Bash {"command": "true"})) ((hold held))', TOOLS))
    process = taken.start_agent()
    taken.asked()
    row = taken.row()
    assert taken.activity() == "running"
    assert (row["activity"]["state"], row["activity"]["routable"]) == ("progressing", True)
    before = stamp(taken)
    taken.release()
    assert process.wait(timeout=TURN_S) == 0
    assert taken.ended()["exit"] == "exit 0"
    assert taken.activity() == "success"
    assert stamp(taken) != before
    assert findings(taken) == []


def test_hooks_fire_with_the_fields_that_this_version_is_known_to_send(seat: Take) -> None:
    taken = seat("claude")
    own = recording(taken)
    taken.launch(one_turn("claude", 'go ((call Bash {"command": "true"}))', TOOLS))
    assert taken.run_agent().code == 0
    turn = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop")
    assert own.events() == ["SessionStart", *turn, "SessionEnd"]
    assert_as_known("claude", own.fields())


def test_a_terminal_that_waits_on_a_person_tells_of_it_and_moves_nothing(
    seat: Take, terminal: Open
) -> None:
    """Also the failure of a turn: ``-p`` leaves without waiting for that hook."""
    taken = seat("claude")
    own = recording(taken)
    manual = ("--permission-mode", "manual")
    prompt = 'go ((call Bash {"command": "touch made"})) ((say all done))'
    taken.launch(in_terminal("claude", prompt, *manual))
    opened = terminal(taken)
    opened.wait(lambda: "PermissionRequest" in own.events(), "no request for permission")
    asked = until(lambda: stamp(taken))
    opened.wait(lambda: "Notification" in own.events(), "no notification")
    assert own.payloads("Notification")[0]["notification_type"] == "permission_prompt"
    opened.rest()  # our hook for it runs beside the user's own
    assert stamp(taken) == asked and taken.row()["status"] == "available"
    opened.say("")
    opened.wait(lambda: "Stop" in own.events(), "no end of the turn")
    assert (taken.workspace / "made").exists()
    opened.say("again ((fail 400))")
    opened.wait(lambda: "StopFailure" in own.events(), "no failure")
    opened.end()
    assert taken.ended()["end_reason"] == "exited"
    assert own.payloads("SessionEnd")[0]["reason"] == "other"
    assert_as_known("claude-terminal", own.fields())


def test_its_server_is_ours_and_the_model_calls_its_tools(seat: Take) -> None:
    taken = seat("claude")
    calls = '((call mcp__st2__agents {})) ((call mcp__st2__set_status {"status": "busy"}))'
    taken.launch(one_turn("claude", f"{calls} ((hold held))", TOOLS))
    process = taken.start_agent()
    taken.asked()
    assert taken.word() == "available"
    taken.release()
    _, _, last = taken.asked(3)
    rows, busy = (json.loads(each) for each in results(last))
    assert [row["identity"] for row in rows["agents"]] == ["h1.w"]
    assert busy["status"] == "busy"
    assert process.wait(timeout=TURN_S) == 0
    assert taken.ended()["exit"] == "exit 0"


def results(body: dict[str, Any]) -> list[str]:
    """The texts of the tool results that a request carries."""
    messages = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
    blocks = [block for content in messages for block in content]
    found = [block["content"] for block in blocks if block["type"] == "tool_result"]
    return [text if isinstance(text, str) else text[0]["text"] for text in found]


def test_what_is_the_users_own_stays_theirs_through_materialize_twice_and_undo(seat: Take) -> None:
    taken = seat("claude")
    own = recording(taken)
    servers = json.dumps({"mcpServers": {"theirs": OWN_SERVER}}, ensure_ascii=False)
    before = {
        path: path.read_bytes()
        for path in (
            taken.workspace / ".claude/settings.local.json",
            taken.cli.home / ".claude/settings.json",
        )
    }
    before[taken.workspace / ".mcp.json"] = write(taken.workspace / ".mcp.json", servers)
    taken.launch(one_turn("claude", "go", TOOLS))
    assert taken.cli("materialize", "w").code == 0
    once = {path: path.read_bytes() for path in before}
    assert taken.cli("materialize", "w").code == 0
    assert {path: path.read_bytes() for path in before} == once
    assert [path.name for path in before if once[path] != before[path]] == [
        "settings.local.json",
        ".mcp.json",
    ]
    assert json.loads(once[taken.workspace / ".mcp.json"])["mcpServers"]["theirs"] == OWN_SERVER
    assert taken.run_agent().code == 0
    assert own.events()[0] == "SessionStart" and taken.activity() == "success"
    assert taken.cli("materialize", "w", "--undo").code == 0
    assert {path: path.read_bytes() for path in before} == before


def test_started_by_hand_it_registers_itself_by_its_hooks(seat: Take) -> None:
    """Nobody wraps it: what materialize wrote is enough to be seen, and to be seen ending."""
    taken = seat("claude")
    taken.launch(one_turn("claude", "go ((hold held))", TOOLS))
    assert taken.cli("materialize", "w").code == 0
    process = taken.start_bare()
    taken.asked()
    row, claim = taken.row(), taken.claim()
    assert (row["status"], claim["harness"], claim["registered_by"]) == (
        *("available", "claude", "hook"),
    )
    taken.release()
    assert process.wait(timeout=TURN_S) == 0
    assert taken.ended()["end_reason"] in ("exited", "stopped")
    assert taken.row()["status"] == "offline"
    assert findings(taken) == []
