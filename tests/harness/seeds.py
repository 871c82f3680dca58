"""What each program needs to find before it starts: whom to ask, and that nobody is to be asked.

Every function writes into a private HOME and a private workspace, and returns the variables that
the program needs besides. *base* is the address of the stub, down to the room of the test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

KEY = "sk-no-secret"
MODEL = "stub-model"
"""The model of the programs whose providers we write ourselves."""
MODELS = ("stub-model", "other-model")
Variables = dict[str, str]


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")


def claude(home: Path, workspace: Path, base: str) -> Variables:
    """Claude Code: each entry answers one of the questions that its terminal would ask first."""
    trusted = {"hasTrustDialogAccepted": True}
    answers = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(workspace): trusted},
    }
    _write(home / ".claude.json", answers)
    _write(home / ".claude" / "settings.json", {"enabledMcpjsonServers": ["st2"]})
    return {
        "ANTHROPIC_BASE_URL": base,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def codex(home: Path, workspace: Path, base: str) -> Variables:
    """Codex: its provider, and that the workspace is trusted."""
    folder = home / ".codex"
    folder.mkdir()
    lines = (
        'model_provider = "stub"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        f"[projects.{json.dumps(str(workspace))}]",
        'trust_level = "trusted"',
        "[model_providers.stub]",
        'name = "stub"',
        f'base_url = "{base}/v1"',
        'wire_api = "responses"',
        'env_key = "STUB_KEY"',
    )
    (folder / "config.toml").write_text("\n".join(lines) + "\n")
    return {"CODEX_HOME": str(folder), "STUB_KEY": KEY}


def pi(home: Path, workspace: Path, base: str) -> Variables:
    """pi: its provider; a model that thinks, or it would be asked without an effort."""
    models = [{"id": each, "reasoning": True} for each in MODELS]
    provider = {"baseUrl": f"{base}/v1", "api": "openai-completions", "apiKey": KEY}
    stub = {**provider, "models": models}
    _write(home / ".pi" / "agent" / "models.json", {"providers": {"stub": stub}})
    return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def opencode(home: Path, workspace: Path, base: str) -> Variables:
    """opencode: its provider; without a registry, or it would install a package at each start."""
    limit = {"context": 100_000, "output": 4_096}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "stub",
        "options": {"baseURL": f"{base}/v1", "apiKey": KEY},
        "models": {each: {"name": each, "limit": limit} for each in MODELS},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": f"stub/{MODEL}",
        "small_model": f"stub/{MODEL}",
        "enabled_providers": ["stub"],
        "provider": {"stub": provider},
    }
    _write(home / ".config" / "opencode" / "opencode.json", settings)
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "npm_config_registry": "http://127.0.0.1:9/",
    }


SEEDS: dict[str, Callable[[Path, Path, str], Variables]] = {
    "claude": claude,
    "codex": codex,
    "pi": pi,
    "opencode": opencode,
}
