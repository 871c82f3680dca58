"""The harnesses by name: the driver block in a declaration, and the verb that starts one.

Everything that has to know which harnesses there are begins here; light, since the verbs do.
"""

from __future__ import annotations

VERBS = {
    "claude": "claude-session",
    "codex": "codex",
    "exec": "exec-session",
    "gemini": "gemini-session",
    "omp": "omp-session",
    "opencode": "opencode-session",
    "pi": "pi-session",
}
"""Each harness, as its block and ``session.json`` name it, and its verb."""

UNSEEN = ("exec", "omp")
"""The harnesses whose work nothing of ours sees: it is told by ``st2 activity`` or not at all."""
