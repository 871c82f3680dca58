"""drivers/formats.py: whatever a launch holds reads back identically from each format."""

from __future__ import annotations

import json
import os
import subprocess
import unicodedata
from pathlib import Path

import ckdl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog.declaration_errors import CannotExpand
from declared import EXPANSIONS, TEXTS
from drivers import formats
from drivers.driver import Expansion, Render

FAKE = '#!/bin/sh\nprintf "%s\\0" "$CATALOG" "$@" >"$OUT"\n'


@given(st.one_of(TEXTS, st.text(st.characters(exclude_categories=["Cs"]))))
def test_a_printed_kdl_string_reads_back_as_the_identical_text(text: str) -> None:
    (node,) = ckdl.parse(f"a {formats.kdl_string(text)}", version=2).nodes
    assert node.args == [text]


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(3.42344829876077e110)
@example(5e-324)
@example(1e22)
@example(-0.0)
def test_a_printed_number_reads_back_to_the_last_bit(number: float) -> None:
    render = Render(op="json-upsert", path="x", value={"n": number})
    (node, _) = ckdl.parse(
        formats.to_kdl(Expansion(argv=("a",), render=(render,))), version=2
    ).nodes
    assert repr(node.children[0].children[0].args) == repr([number])


@pytest.mark.slow
def test_every_character_reads_back_and_none_that_hides_is_printed_as_itself() -> None:
    for start in range(0, 0x110000, 0x400):
        block = [chr(n) for n in range(start, start + 0x400) if not 0xD800 <= n < 0xE000]
        printed = formats.kdl_string("".join(block))
        (node,) = ckdl.parse(f"a {printed}", version=2).nodes
        assert node.args == ["".join(block)]
        assert not [c for c in printed if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]


VALUE = {
    "a": [None, True, False],
    "b": [-1, 1.5, 1e3, 1e22],
    "c": [[], {}, [[1]], {"d": 1}],
    "names": {"-": 1, "x-1_Y": 2, "a b": 3, "": 4, "-x": 5, "é": 6, "9": 7, "_": 8},
    "words": dict.fromkeys(("true", "false", "null", "inf", "nan", "-inf"), ""),
    "unseen": '\\"\n\r\t\x1b\u202e\u2028',
}
PRINTED = r"""render {
    json-upsert "p" arrays="union" {
        a #null #true #false
        b -1 1.5 1000.0 10000000000000000000000.0
        c {
            (array)-
            (object)-
            - {
                (array)- 1
            }
            - {
                d 1
            }
        }
        names {
            - 1
            x-1_Y 2
            "a b" 3
            "" 4
            "-x" 5
            "é" 6
            "9" 7
            "_" 8
        }
        words {
            "true" ""
            "false" ""
            "null" ""
            "inf" ""
            "nan" ""
            "-inf" ""
        }
        unseen "\\\"\n\r\t\u{1b}\u{202e}\u{2028}"
    }
    json-upsert "q" {
        k 1
    }
    copy "c" "$CATALOG/x"
    git-exclude "/x"
}
argv "a" "b c"
"""


def test_every_kind_of_value_has_one_form_in_kdl() -> None:
    render = (
        Render(op="json-upsert", path="p", value=VALUE, arrays="union"),
        Render(op="json-upsert", path="q", value={"k": 1}),
        Render(op="copy", path="c", value="$CATALOG/x"),
        Render(op="git-exclude", path="/x", value=""),
    )
    assert formats.to_kdl(Expansion(argv=("a", "b c"), render=render)) == PRINTED
    assert formats.to_kdl(Expansion(argv=("a",))) == 'argv "a"\n'


def test_json_is_one_line_without_blanks() -> None:
    render = (Render(op="json-upsert", path="p", value={"é": [1]}, arrays="union"),)
    assert formats.to_json(Expansion(argv=("a", "b"), render=render)) == (
        '{"argv":["a","b"],"render":[{"op":"json-upsert","path":"p",'
        '"value":{"\\u00e9":[1]},"arrays":"union"}]}\n'
    )


@given(EXPANSIONS)
def test_json_has_the_four_keys_of_each_render_and_reads_back(expansion: Expansion) -> None:
    printed = formats.to_json(expansion)
    assert printed.isascii() and printed.endswith("\n") and printed.count("\n") == 1
    read = json.loads(printed)
    assert list(read) == ["argv", "render"] and read["argv"] == list(expansion.argv)
    for got, want in zip(read["render"], expansion.render, strict=True):
        assert list(got) == ["op", "path", "value", "arrays"]
        assert got["value"] == want.value


@given(EXPANSIONS)
def test_argv_is_each_word_and_a_nul(expansion: Expansion) -> None:
    printed = formats.to_argv(expansion)
    assert printed.decode().split("\0") == [*expansion.argv, ""]


def test_lines_are_one_word_each_and_hide_nothing() -> None:
    assert formats.to_lines(Expansion(argv=("a b", "\x1b[31m"))) == "a b\n\\u{1b}[31m\n"


def test_lines_refuse_a_word_with_a_newline() -> None:
    with pytest.raises(CannotExpand) as caught:
        formats.to_lines(Expansion(argv=("a", "b\nc")))
    assert str(caught.value) == "argv: found a newline in 'b\\nc', wanted none"
    assert caught.value.hint == "pipe it, or ask for --format json"


def test_of_a_long_word_with_a_newline_forty_letters_are_shown() -> None:
    with pytest.raises(CannotExpand) as caught:
        formats.to_lines(Expansion(argv=("x" * 40 + "y\n",)))
    assert str(caught.value) == f"argv: found a newline in '{'x' * 40}', wanted none"


def test_the_shell_line_quotes_every_word_but_the_catalog_of_the_prefix() -> None:
    expansion = Expansion(argv=("st2", "--catalog", "$CATALOG", "it's", "$CATALOG"))
    assert formats.to_shell(expansion) == ("'st2' '--catalog' \"$CATALOG\" 'it'\\''s' '$CATALOG'\n")


def test_a_catalog_that_is_not_of_the_prefix_stays_quoted() -> None:
    expansion = Expansion(argv=("x", "--catalog", "$CATALOG"))
    assert formats.to_shell(expansion) == "'x' '--catalog' '$CATALOG'\n"


def test_only_a_whole_prefix_has_the_catalog_unquoted() -> None:
    for argv in [("st2", "--host", "$CATALOG"), ("st2", "--catalog", "/c", "$CATALOG"), ("st2",)]:
        quoted = " ".join(f"'{word}'" for word in argv)
        assert formats.to_shell(Expansion(argv=argv)) == f"{quoted}\n"


def test_what_is_not_seen_is_written_byte_by_byte() -> None:
    assert formats.to_shell(Expansion(argv=("\u202eé%",))) == (
        "eval \"$(printf ''\\''\\342\\200\\256é%%'\\''')\"\n"
    )


def test_a_control_character_becomes_a_word_of_printf() -> None:
    assert formats.to_shell(Expansion(argv=("a\n", "5%\\"))) == (
        "eval \"$(printf ''\\''a\\012'\\'' '\\''5%%\\\\'\\''')\"\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program st2 in it that tells what it was given."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "st2").write_text(FAKE)
    (folder / "st2").chmod(0o755)
    return folder


class TestShellLine:
    """A POSIX shell that is given the line starts the program with the identical words."""

    def heard(self, folder: Path, line: str, shell: str) -> list[str]:
        out = folder / "out"
        env = {
            "PATH": f"{folder}{os.pathsep}{os.defpath}",
            "CATALOG": "/c $x",
            "OUT": str(out),
            "LANG": "C.UTF-8",
        }
        subprocess.run([shell, "-c", line], env=env, check=True, stdin=subprocess.DEVNULL)
        return out.read_bytes().decode().split("\0")[:-1]

    @settings(max_examples=60, deadline=None)
    @given(st.lists(TEXTS, max_size=5))
    def test_any_words_reach_the_program(self, folder: Path, words: list[str]) -> None:
        line = formats.to_shell(Expansion(argv=("st2", "--catalog", "$CATALOG", *words)))
        assert line.count("\n") == 1
        assert not [c for c in line[:-1] if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
        assert self.heard(folder, line, "sh") == ["/c $x", "--catalog", "/c $x", *words]

    @pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
    def test_hard_words_reach_the_program_from_each_shell(self, folder: Path, shell: str) -> None:
        if not any(Path(each, shell).exists() for each in os.defpath.split(os.pathsep)):
            pytest.skip(f"{shell} is not on this machine")
        words = [
            "",
            "a b",
            "it's",
            '"',
            "$HOME",
            "-x",
            "é",
            "%s\\n",
            "\\",
            "a\n\n",
            "\x1b",
            "\u202e",
        ]
        line = formats.to_shell(Expansion(argv=("st2", "--catalog", "$CATALOG", *words)))
        assert self.heard(folder, line, shell) == ["/c $x", "--catalog", "/c $x", *words]
