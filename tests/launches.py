"""Launches for tests: the text of an agent's block in, what it expands to out."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.declaration import Declaration, parse
from catalog.errors import St2Error
from drivers.driver import Expansion
from drivers.expand import expand, facts_of

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.kdl"))
GOLDEN = ROOT / "tests" / "golden"
WHO = ("--identity", "h1.worker", "--runtime-id", "h1.worker", "--")


def declared(text: str | bytes, path: str = "agent.kdl") -> Declaration:
    """The declaration of h1.worker that *text* is, whole."""
    raw = text if isinstance(text, bytes) else text.encode()
    found = parse(raw, path=path, folder_host="h1", folder_agent="worker", this_host="h1")
    assert isinstance(found, Declaration), found
    return found


def launch(body: str) -> Expansion:
    """What h1.worker with *body* inside its block expands to."""
    declaration = declared(f'agent "worker" {{\n{body}\n}}')
    return expand(declaration, facts_of(declaration))


def provider(verb: str, body: str) -> tuple[str, ...]:
    """The harness's own words, after the words of the wrapper, which starts it as *verb*."""
    argv = launch(body).argv
    front = ("st2", "--catalog", "$CATALOG", "driver", verb, *WHO)
    assert argv[: len(front)] == front
    return argv[len(front) :]


def refusal(body: str) -> St2Error:
    """How h1.worker with *body* is refused."""
    with pytest.raises(St2Error) as caught:
        launch(body)
    return caught.value


def sentence(body: str) -> str:
    """The sentence of a refusal, without the file and the place in it."""
    return refusal(body).sentence
