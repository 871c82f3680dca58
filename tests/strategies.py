"""Strategies that several tests draw from, near-valid on purpose."""

from __future__ import annotations

from hypothesis import strategies as st

PLAIN_WORDS = ("host", "name", "argv", "render", "identity", "desired-state", "claude", "prompt")
HARMLESS = st.text(alphabet="ab1 -_./$'{}#;=()", max_size=8)
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
