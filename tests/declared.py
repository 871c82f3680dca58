"""Strategies for declarations and launches: near-valid texts, and whatever a launch can hold."""

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
ARGVS = st.lists(TEXTS, min_size=1, max_size=5).map(lambda words: (words[0] or "x", *words[1:]))
_PATHS = TEXTS.map(lambda text: text or ".x")
_LINES = _PATHS.filter(lambda text: not {"\n", "\r"} & set(text))
RENDERS = st.one_of(
    st.builds(
        Render,
        op=st.just("json-upsert"),
        path=_PATHS,
        value=JSON_OBJECTS,
        arrays=st.sampled_from(["replace", "union"]),
    ),
    st.builds(Render, op=st.sampled_from(["file", "copy"]), path=_PATHS, value=TEXTS),
    st.builds(Render, op=st.just("ensure-line"), path=_PATHS, value=_LINES),
    st.builds(Render, op=st.just("git-exclude"), path=_LINES, value=st.just("")),
)
"""Whatever can be asked for in a workspace."""

EXPANSIONS = st.builds(
    lambda argv, prefixed, renders: Expansion(
        argv=(*("st2", "--catalog", "$CATALOG"), *argv) if prefixed else argv,
        render=tuple(renders),
    ),
    ARGVS,
    st.booleans(),
    st.lists(RENDERS, max_size=2),
)
"""Launches with anything in them."""


def _field(name: str, *values: str) -> str:
    return " ".join([name, *map(kdl_string, values)])


_AXES = {
    "claude": ("model", "effort"),
    "codex": ("model", "effort"),
    "gemini": ("model",),
    "omp": ("model", "effort"),
    "opencode": ("model",),
    "pi": ("model", "effort"),
}
_PROMPTS = {
    name: TEXTS.filter(lambda text: not text.startswith(("-", "@"))) for name in ("omp", "pi")
}


def _typed(name: str) -> st.SearchStrategy[str]:
    optional = dict.fromkeys(_AXES[name], TEXTS)
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
        _PROMPTS.get(name, TEXTS),
        st.fixed_dictionaries({}, optional=optional),
        st.lists(TEXTS, max_size=3),
        st.booleans(),
    )


LAUNCHES = st.one_of(
    *map(_typed, _AXES),
    ARGVS.map(lambda argv: f"exec {{\n{_field('argv', *argv)}\n}}"),
    EXPANSIONS.map(to_kdl),
    TEXTS.filter(bool).map(lambda text: _field("command", text)),
)
"""The nodes of a declaration that say what is launched."""
