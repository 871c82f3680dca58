"""The inside of one ``agent`` node: typed answers, and a finding for everything that is none.

A *fault* leaves the agent in the roster and keeps it from being launched; a *note* does neither.
"""

from __future__ import annotations

from catalog.finding import Finding
from catalog.kdl import Node, Scalar, check_values
from catalog.verbs import VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.kdl import Address
    from catalog.source import Outline, Source

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
NAMES = (*_ONCE, "resource")
"""The nodes of an ``agent`` block that are st2's; others are other programs'."""


def shown(args: tuple[object, ...] | list[object]) -> str:
    """Describe values found in the place of others, in a bounded number of letters."""
    if not args:
        return "nothing"
    text = ", ".join(ascii(arg) if isinstance(arg, str) else str(arg) for arg in args)
    return text if len(text) <= 60 else f"{text[:60]}..."


class AgentBlock:
    """Reads an ``agent`` block field by field and collects what is wrong with it."""

    def __init__(self, outline: Outline, source: Source, path: str) -> None:
        self.findings: list[Finding] = []
        self.launch_error: str | None = None
        self._source = source
        self._path = path
        self._agent = outline.agent
        self._nodes: dict[str, list[Node]] = {}
        for child in outline.agent.children:
            self._nodes.setdefault(child.name, []).append(child)
        for sentence, at in outline.faults:
            self.fault("field", sentence, at)
        for name in _ONCE:
            if (count := len(nodes := self._nodes.get(name, []))) > 1:
                self.fault("duplicate", f"{name}: found {count} times, wanted once", nodes[1].at)

    def at(self, *names: str) -> Address:
        """Return where the first of *names* stands that is there, else the block itself."""
        for name in names:
            if (node := self._first(name)) is not None:
                return node.at
        return self._agent.at

    def finding(self, code: str, sentence: str, at: Address, hint: str = "") -> Finding:
        """Return a finding about what stands at *at*."""
        line, column = self._source.place(at) or (None, None)
        return Finding(code, sentence, self._path, hint, line=line, column=column)

    def note(self, code: str, sentence: str, at: Address) -> None:
        """Record a finding that changes nothing else."""
        self.findings.append(self.finding(code, sentence, at))

    def fault(self, code: str, sentence: str, at: Address, hint: str = "") -> None:
        """Record a finding that keeps the agent from being launched."""
        self.findings.append(self.finding(f"declaration-{code}", sentence, at, hint))
        self.launch_error = self.launch_error or sentence

    def label(self) -> str | None:
        """Return the argument of the ``agent`` node, the agent's name."""
        node = self._agent
        if not node.args and not node.properties:
            return None
        return self._one_string("agent", node, node.args, bool(node.properties))

    def text(self, name: str) -> str | None:
        """Return the one string of the field *name*."""
        node = self._first(name)
        if node is None:
            return None
        return self._one_string(name, node, node.args, bool(node.properties or node.children))

    def words(self, name: str) -> tuple[str, ...] | None:
        """Return the one or more strings of the field *name*, of which the first is a program."""
        node = self._first(name)
        if node is None:
            return None
        texts = tuple(arg for arg in node.args if isinstance(arg, str) and _is_text(arg))
        bad = not texts or len(texts) < len(node.args)
        if bad or node.properties or node.children:
            self.fault("field", f"{name}: found {shown(node.args)}, wanted strings", node.at)
            return None
        if not texts[0]:
            sentence = f"{name}: found an empty first word, wanted a program"
            self.fault("field", sentence, node.at)
            return None
        return texts

    def desired_state(self, words: tuple[str, ...]) -> tuple[str | None, str | None]:
        """Return the desired state and its reason; a word that is none of *words* reads None."""
        node = self._first("desired-state")
        if node is None:
            return words[0], None
        given = dict(node.properties)
        reason = given.pop("reason", None)
        word = self._one_string("desired-state", node, node.args, bool(given or node.children))
        why = None if reason is None else self._one_string("reason", node, (reason,), False)
        if word is not None and word not in words:
            found = f"desired-state: found {shown([word])}"
            self.fault("field", f"{found}, wanted one of {', '.join(words)}", node.at)
        return (word if word in words else None), why

    def resources(self) -> tuple[tuple[tuple[str, Scalar], ...], ...]:
        """Return the resources as pairs, ``name`` first."""
        nodes = self._nodes.get("resource", [])
        if len(nodes) > MAX_ITEMS:
            found_many = f"resource: found {len(nodes)}, wanted at most {MAX_ITEMS}"
            self.fault("too-long", found_many, nodes[MAX_ITEMS].at)
        found = []
        for node in nodes[:MAX_ITEMS]:
            name = self._one_string("resource", node, node.args, bool(node.children))
            plain = all(key != "name" and _is_plain(value) for key, value in node.properties)
            if not plain:
                sentence = f"resource: found {shown(node.args)}, wanted plain properties"
                self.fault("field", sentence, node.at)
            elif name is not None:
                found.append((("name", name), *node.properties))
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
            sentence = f"found {' and '.join(ways)}, wanted one launch"
            self.fault("two-launches", sentence, self.at(ways[1]), hint)
        if "render" in self._nodes and not hand:
            sentence = "render: found no argv or command beside it, wanted one"
            self.fault("field", sentence, self.at("render"))
        node = self._first(blocks[0]) if blocks else None
        if node is None:
            return None, ()
        if node.args or node.properties:
            sentence = f"{node.name}: found a value, wanted only fields in braces"
            self.fault("field", sentence, node.at)
        return node.name, self._children(node)

    def _first(self, name: str) -> Node | None:
        nodes = self._nodes.get(name)
        return nodes[0] if nodes else None

    def _children(self, node: Node) -> tuple[Node, ...]:
        unfit = check_values(node)
        if unfit is not None:
            self.fault("field", f"{node.name}: {unfit[0]}", unfit[1])
            return ()
        return node.children

    def _one_string(
        self, name: str, node: Node, args: tuple[object, ...], more: bool
    ) -> str | None:
        value = args[0] if len(args) == 1 else None
        if more or not isinstance(value, str) or not _is_text(value):
            self.fault("field", f"{name}: found {shown(args)}, wanted one string", node.at)
            return None
        if not value and name not in _MAY_BE_EMPTY:
            self.fault("field", f"{name}: found an empty string, wanted a text", node.at)
            return None
        limit = _LIMITS.get(name, MAX_TEXT)
        if len(value) > limit and name != "command":
            found = f"found {len(value)} letters, wanted at most {limit}"
            self.fault("too-long", f"{name}: {found}", node.at)
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
