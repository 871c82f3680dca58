"""The inside of one ``agent`` node: typed answers, and a finding for everything that is none.

A *fault* leaves the agent in the roster and keeps it from being launched; a *note* does neither.
"""

from __future__ import annotations

from catalog import kdl
from catalog.finding import Finding
from catalog.kdl import Node, Scalar, Unparsed
from catalog.verbs import VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ckdl

BLOCKS = tuple(VERBS)
"""The nodes that are driver blocks."""

MAX_ITEMS = 64
MAX_TEXT = 4_096
_LIMITS = {"identity": 256, "host": 256, "agent": 256, "name": 256, "role": 256, "supervisor": 256}
_MAY_BE_EMPTY = ("name", "description", "role", "reason")
_ONCE = (
    *("argv", "command", "description", "desired-state", "host", "identity"),
    *("name", "render", "role", "supervisor", "workspace", *BLOCKS),
)


def shown(args: tuple[object, ...] | list[object]) -> str:
    """Describe values found in the place of others, in a bounded number of letters."""
    if not args:
        return "nothing"
    text = ", ".join(ascii(arg) if isinstance(arg, str) else str(arg) for arg in args)
    return text if len(text) <= 60 else f"{text[:60]}..."


class AgentBlock:
    """Reads an ``agent`` node field by field and collects what is wrong with it."""

    def __init__(self, node: ckdl.Node, path: str) -> None:
        self.findings: list[Finding] = []
        self.launch_error: str | None = None
        self._path = path
        self._label = node
        self._nodes: dict[str, list[ckdl.Node]] = {}
        for child in node.children:
            self._nodes.setdefault(child.name, []).append(child)
        for name in _ONCE:
            if (count := len(self._nodes.get(name, ()))) > 1:
                self.fault("duplicate", f"{name}: found {count} times, wanted once")

    def note(self, code: str, sentence: str) -> None:
        """Record a finding that changes nothing else."""
        self.findings.append(Finding(code, sentence, self._path))

    def fault(self, code: str, sentence: str, hint: str = "") -> None:
        """Record a finding that keeps the agent from being launched."""
        self.findings.append(Finding(f"declaration-{code}", sentence, self._path, hint))
        self.launch_error = self.launch_error or sentence

    def label(self) -> str | None:
        """Return the argument of the ``agent`` node, the agent's name."""
        node = self._label
        if not node.args and not node.properties:
            return None
        return self._one_string("agent", node.args, bool(node.properties))

    def text(self, name: str) -> str | None:
        """Return the one string of the field *name*."""
        node = self._first(name)
        if node is None:
            return None
        return self._one_string(name, node.args, bool(node.properties or node.children))

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Return the one or more strings of the field *name*."""
        node = self._first(name)
        if node is None:
            return None
        args = tuple(node.args)
        if not args or node.properties or node.children or not all(map(_is_text, args)):
            self.fault("field", f"{name}: found {shown(args)}, wanted strings")
            return None
        return args

    def desired_state(self, words: tuple[str, ...]) -> tuple[str | None, str | None]:
        """Return the desired state and its reason; a word that is none of *words* reads None."""
        node = self._first("desired-state")
        if node is None:
            return words[0], None
        given = dict(node.properties)
        reason = given.pop("reason", None)
        word = self._one_string("desired-state", node.args, bool(given or node.children))
        if reason is not None:
            reason = self._one_string("reason", [reason], False)
        if word is not None and word not in words:
            wanted = ", ".join(words)
            self.fault("field", f"desired-state: found {shown([word])}, wanted one of {wanted}")
        return (word if word in words else None), reason

    def resources(self) -> tuple[tuple[tuple[str, Scalar], ...], ...]:
        """Return the resources as pairs, ``name`` first."""
        nodes = self._nodes.get("resource", [])
        if len(nodes) > MAX_ITEMS:
            self.fault("too-long", f"resource: found {len(nodes)}, wanted at most {MAX_ITEMS}")
        found = []
        for node in nodes[:MAX_ITEMS]:
            name = self._one_string("resource", node.args, bool(node.children))
            values = [*node.properties.items()]
            if "name" in node.properties or not all(_is_plain(value) for _, value in values):
                self.fault("field", f"resource: found {shown(node.args)}, wanted plain properties")
            elif name is not None:
                found.append((("name", name), *values))
        return tuple(found)

    def render(self) -> tuple[Node, ...]:
        """Return what a hand-written launch wants in the workspace."""
        node = self._first("render")
        return self._children(node) if node is not None else ()

    def driver(self) -> tuple[str | None, tuple[Node, ...]]:
        """Return the name of the driver block and the nodes inside it."""
        blocks = [name for name in BLOCKS if name in self._nodes]
        hand = [name for name in ("argv", "command") if name in self._nodes]
        ways = blocks + hand
        if len(ways) > 1:
            hint = "keep one driver block, or argv, or command"
            self.fault("two-launches", f"found {' and '.join(ways)}, wanted one launch", hint)
        if "render" in self._nodes and not hand:
            self.fault("field", "render: found no argv or command beside it, wanted one")
        node = self._first(blocks[0]) if blocks else None
        if node is None:
            return None, ()
        if node.args or node.properties:
            self.fault("field", f"{node.name}: found a value, wanted only fields in braces")
        return node.name, self._children(node)

    def _first(self, name: str) -> ckdl.Node | None:
        nodes = self._nodes.get(name)
        return nodes[0] if nodes else None

    def _children(self, node: ckdl.Node) -> tuple[Node, ...]:
        copied = kdl.copy(node)
        if isinstance(copied, Unparsed):
            self.fault("field", f"{node.name}: {copied.sentence}")
            return ()
        return copied.children

    def _one_string(self, name: str, args: list[object], more: bool) -> str | None:
        value = args[0] if len(args) == 1 else None
        if more or not isinstance(value, str) or not _is_text(value):
            self.fault("field", f"{name}: found {shown(args)}, wanted one string")
            return None
        if not value and name not in _MAY_BE_EMPTY:
            self.fault("field", f"{name}: found an empty string, wanted a text")
            return None
        limit = _LIMITS.get(name, MAX_TEXT)
        if len(value) > limit and name != "command":
            found = f"found {len(value)} letters, wanted at most {limit}"
            self.fault("too-long", f"{name}: {found}")
        return value if name == "command" else value[:limit]


def _is_text(value: object) -> bool:
    """Say whether *value* is a string that an argument, a path or a line can carry."""
    return isinstance(value, str) and "\0" not in value


def _is_plain(value: object) -> bool:
    """Say whether *value* is a scalar that JSON has too, of a bounded size."""
    if isinstance(value, str):
        return len(value) <= MAX_TEXT and "\0" not in value
    if isinstance(value, float):
        return value - value == 0
    return value is None or isinstance(value, int)
