"""Strategies that several tests draw from, near-valid on purpose."""

from __future__ import annotations

from hypothesis import strategies as st

from drivers.driver import Expansion, Render
from drivers.formats import kdl_string, to_kdl

PLAIN_WORDS = (
    "host",
    "name",
    "argv",
    "render",
    "identity",
    "desired-state",
    "claude",
    "prompt",
    "true",
)
HARMLESS = st.text(alphabet="ab1 \\-_./$'{}#;=()", max_size=8)
NEARLY_STRINGS = st.one_of(
    st.sampled_from(["h1", "worker", "h1.worker", "running", "", "..", "-x", "a b", "W.x"]),
    HARMLESS,
).map(lambda text: f'"{text}"')
ODD_TOKENS = st.sampled_from(
    [
        *[
            "#true",
            "{",
            "}",
            '"a"b',
            '""',
            '"""',
            "//c",
            "/-",
            "/*x*/",
            ";",
            'r"x"',
            '#"x"#',
            "x",
            "1",
        ],
        *["true", '"\\n"', '"é"', "\\", '"a""b"', "(t)", 'k="v"', 'k = "v"', '"k"="v"', "\t", "\r"],
    ]
)


def _lines(depth: int) -> st.SearchStrategy[str]:
    tokens = st.lists(st.one_of(NEARLY_STRINGS, NEARLY_STRINGS, ODD_TOKENS), max_size=3)
    leaf = st.builds(
        lambda word, rest: " ".join([word, *rest]), st.sampled_from(PLAIN_WORDS), tokens
    )
    if depth == 0:
        return leaf
    inner = st.lists(_lines(depth - 1), max_size=4)
    nested = st.builds(lambda word, body: "\n".join([f"{word} {{", *body, "}"]), leaf, inner)
    return st.one_of(leaf, leaf, nested)


NEARLY_PLAIN = st.builds(
    lambda head, body, tail: "\n".join([f"agent {head} {{", *body, "}", *tail]),
    st.one_of(st.just('"worker"'), st.just('"worker"'), NEARLY_STRINGS, ODD_TOKENS),
    st.lists(_lines(2), max_size=6),
    st.lists(st.one_of(_lines(1), st.just("")), max_size=1),
)
"""Texts close to a declaration of the plain form, each oddity of it somewhere."""

PLAIN = st.builds(
    lambda lines: "\n".join(['agent "worker" {', *lines, "}"]),
    st.lists(
        st.sampled_from(
            [
                *['host "h1"', 'name "A, b"', "", 'exec {\n argv "a"  "b"\n\t}', 'workspace "/x" '],
                *[
                    'resource "w" k="v"',
                    "claude {\n dev-channels #true\n}",
                    "other",
                    'x "1" "2" {\n}',
                ],
            ]
        ),
        unique=True,
        max_size=8,
    ),
)
"""Declarations of the plain form."""


def words() -> st.SearchStrategy[str]:
    """The words that a status may be set to."""
    return st.sampled_from(("offline", "available", "busy", "away", "dnd"))


def stamps() -> st.SearchStrategy[int]:
    """Stamps of every length that a record can hold, its ends often."""
    edges = st.sampled_from((0, 1, 2**31, 2**63 - 2, 2**63 - 1))
    return edges | st.integers(0, 2**63 - 1)


def record_bytes() -> st.SearchStrategy[bytes]:
    """Two-line records that are right but, often, for one part."""
    word = words().map(str.encode) | st.sampled_from(
        (
            b"unknown",
            b"",
            b" busy",
            b"busy ",
            b"Busy",
            b"busy\r",
            b"bu\0sy",
            b"\xff",
            b"available" * 40,
        )
    )
    first = st.sampled_from((b"\n",) * 6 + (b"", b"\r\n", b"\n\n"))
    version = st.sampled_from(
        (b"v1",) * 8 + (b"v2", b"v10", b"v9999", b"v10000", b"v0", b"v01", b"V1", b"v", b"", b"v2x")
    )
    gap = st.sampled_from((b" ",) * 8 + (b"", b"  ", b"\t"))
    digits = stamps().map(lambda stamp: b"%d" % stamp) | st.sampled_from(
        (b"", b"05", b"-5", b"+5", b"1.5", b"5 6", b"9" * 19, b"9" * 30, b"9" * 5000, "٣".encode())
    )
    end = st.sampled_from((b"\n",) * 8 + (b"", b"\r\n", b"\n\n", b"\nmore\n", b"\0"))
    return st.tuples(word, first, version, gap, digits, end).map(b"".join)


LOWER = "abz019"
ALNUM = LOWER + "AZ"


def _named(first: str, rest: str) -> st.SearchStrategy[str]:
    return st.builds(
        str.__add__, st.sampled_from(first), st.text(st.sampled_from(rest), max_size=8)
    )


def agents() -> st.SearchStrategy[str]:
    """Agent names by the rule."""
    return _named(ALNUM, ALNUM + "._-").filter(
        lambda name: ".." not in name and not name.endswith((".", ".lock"))
    )


def hosts() -> st.SearchStrategy[str]:
    """Host names by the rule."""
    return _named(LOWER, LOWER + "-")


def tokens() -> st.SearchStrategy[str]:
    """Session tokens by the rule."""
    return _named(ALNUM, ALNUM + "._:@-")


def scalars() -> st.SearchStrategy[object]:
    """Values that the line form of a JSON object holds."""
    numbers = st.integers(-(2**63), 2**63 - 1)
    text = st.text(max_size=12) | st.sampled_from(
        ('"', "\\", '": ', "é", "\ud800", "true", "1", "")
    )
    return st.none() | st.booleans() | numbers | text


def claim_fields() -> st.SearchStrategy[dict[str, object]]:
    """The fields of a sound claim, beside `v`."""
    short = st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
    ended = st.sampled_from(("exited", "stopped", "lost", "launch-error")).flatmap(
        lambda reason: st.tuples(st.integers(0, 2**53), st.just(reason))
    )
    fields = {
        "agent": agents(),
        "host": hosts(),
        "node": short,
        "session": tokens(),
        "generation": st.integers(1, 2**31 - 1),
        "harness": short,
        "runtime": short,
        "registered_by": st.text(max_size=12),
        "started_ms": st.integers(0, 2**53),
        "end": st.none() | ended,
        "exit": st.sampled_from((None, "exit 7", "signal 9")),
        "took_over": st.booleans(),
        "previous": st.none() | tokens(),
        "note": scalars(),
    }
    return st.fixed_dictionaries(fields).map(_with_end)


def _with_end(fields: dict[str, object]) -> dict[str, object]:
    end = fields.pop("end")
    ended_ms, reason = end if isinstance(end, tuple) else (None, None)
    return {**fields, "ended_ms": ended_ms, "end_reason": reason}


TEXTS = st.one_of(
    st.sampled_from(
        [
            *[
                "",
                "-x",
                "--",
                "$CATALOG",
                "st2",
                "a b",
                "it's",
                '"',
                "\\",
                "\n",
                "a\n",
                "\u202e",
                "é",
                "%s",
            ],
            *[
                "#true",
                "'\\''",
                "$(x)",
                "`x`",
                "\x1b[31m",
                "\u2028",
                "\ufeff",
                "\r",
                "\t",
                "!!",
                "\\n",
            ],
        ]
    ),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        max_size=12,
    ),
)
"""Whatever a declaration can hold as one string."""

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | TEXTS
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["-", "a", "true", "", "two words"]) | TEXTS, inner, max_size=3
        )
    ),
    max_leaves=8,
)
JSON_OBJECTS = st.dictionaries(TEXTS, JSON_VALUES, max_size=3)
ARGVS = st.lists(TEXTS, min_size=1, max_size=5).map(tuple)
EXPANSIONS = st.builds(
    lambda argv, prefixed, renders: Expansion(
        argv=(*("st2", "--catalog", "$CATALOG"), *argv) if prefixed else argv,
        render=tuple(
            Render(op="json-upsert", path=path or ".x", value=value, arrays=arrays)
            for path, value, arrays in renders
        ),
    ),
    ARGVS,
    st.booleans(),
    st.lists(st.tuples(TEXTS, JSON_OBJECTS, st.sampled_from(["replace", "union"])), max_size=2),
)
"""Launches with anything in them."""


def _field(name: str, *values: str) -> str:
    return " ".join([name, *map(kdl_string, values)])


_BLOCKS = {
    "claude": ("model", "effort", "prompt"),
    "codex": ("model", "effort", "prompt"),
}


def _typed(name: str) -> st.SearchStrategy[str]:
    optional = {key: TEXTS for key in _BLOCKS[name] if key != "prompt"}
    return st.builds(
        lambda prompt, fields, args, order: "\n".join(
            [
                f"{name} {{",
                *sorted(
                    [
                        _field("prompt", prompt),
                        *(_field(key, value) for key, value in fields.items()),
                        _field("args", *args),
                    ],
                    reverse=order,
                ),
                "}",
            ]
        ),
        TEXTS,
        st.fixed_dictionaries({}, optional=optional),
        st.lists(TEXTS, max_size=3),
        st.booleans(),
    )


LAUNCHES = st.one_of(
    _typed("claude"),
    _typed("codex"),
    ARGVS.map(lambda argv: f"exec {{\n{_field('argv', *argv)}\n}}"),
    EXPANSIONS.map(to_kdl),
    TEXTS.filter(bool).map(lambda text: _field("command", text)),
)
"""The nodes of a declaration that say what is launched."""
