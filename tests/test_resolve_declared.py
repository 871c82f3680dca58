"""What has to be declared of an agent that is to be started, in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.declaration import Declaration
from catalog.declaration_errors import BadDeclaration, NotDeclared, NotRunning
from catalog.layout import Layout
from catalog.reader import Reader
from catalog.refusals import Ambiguous
from catalog.resolve import declaration_of, declared, refuse_unless_running, require_running
from catalog.system.files import Files
from catalogs import T, agent, record, right_below
from catalogs import declared as kdl
from support.walked import OneFolder

BUSY = record("busy", T)


@pytest.fixture
def reader(catalog_dir: Path) -> Reader:
    return Reader(Files(str(catalog_dir)), Layout(str(catalog_dir), "h1"))


@pytest.fixture
def direct(catalog_dir: Path) -> Reader:
    """A reader that looks into the folder of one agent alone."""
    return Reader(OneFolder(str(catalog_dir)), Layout(str(catalog_dir), "h1"))


class TestRunning:
    """Who is to be started has to be declared, once, and to run."""

    @pytest.mark.parametrize("text", [kdl("w"), 'agent "w" {\n}\n'])
    def test_a_plain_declaration_in_its_own_folder_is_enough(
        self, direct: Reader, catalog_dir: Path, text: str
    ) -> None:
        agent(catalog_dir, "w", kdl=text)
        require_running(direct, "w")

    @pytest.mark.parametrize("text", [kdl("v"), kdl("w", "h2"), "agent {"])
    def test_one_of_another_agent_is_not(
        self, direct: Reader, catalog_dir: Path, text: str
    ) -> None:
        agent(catalog_dir, "w", kdl=text)
        with pytest.raises(AssertionError, match="walked"):
            require_running(direct, "w")

    def test_it_may_be_declared_anywhere_else(self, reader: Reader, catalog_dir: Path) -> None:
        agent(catalog_dir, "folder", "h2", kdl=kdl("w", "h1"))
        require_running(reader, "w")

    @pytest.mark.parametrize(
        ("state", "found"),
        [
            ('desired-state "suspended"', "declared suspended"),
            ('desired-state "retired" reason="no work"', "declared retired (no work)"),
            ('desired-state "asleep"', "declared a state that is none of ours"),
        ],
    )
    def test_one_that_is_not_to_run_is_refused_with_the_reason(
        self, reader: Reader, catalog_dir: Path, state: str, found: str
    ) -> None:
        agent(catalog_dir, "w", kdl=kdl("w", body=f"    {state}\n"))
        with pytest.raises(NotRunning) as refused:
            require_running(reader, "w")
        assert str(refused.value) == f"h1.w: {found}, wanted running"
        assert refused.value.hint == "see agents/h1/w/agent.kdl"

    def test_one_that_is_to_run_is_not(self) -> None:
        refuse_unless_running(Declaration(path="p", host="h1", agent="w"))

    def test_an_undeclared_one_is_told_where_to_write_it(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "w", status=BUSY)
        for name in ("w", "gone"):
            with pytest.raises(NotDeclared) as refused:
                require_running(reader, name)
            assert str(refused.value) == f"h1.{name}: no declaration, wanted one"
            assert refused.value.hint == f"write agents/h1/{name}/agent.kdl"


class TestDeclared:
    def test_it_is_read_as_a_whole_of_any_host(self, reader: Reader, catalog_dir: Path) -> None:
        agent(catalog_dir, "v", kdl=kdl("v"))
        agent(catalog_dir, "w", kdl=kdl("w", body='    argv "x" "y"\n'))
        agent(catalog_dir, "w", "h2", kdl='agent "w" {\n    argv "z"\n}\n')
        found = declaration_of(reader, "w")
        assert (found.path, found.identity, found.argv) == (
            "agents/h1/w/agent.kdl",
            "h1.w",
            ("x", "y"),
        )
        assert declared(reader, "h2", "w").argv == ("z",)

    def test_a_host_that_nothing_says_is_this_one(self, reader: Reader, catalog_dir: Path) -> None:
        right_below(catalog_dir, "w", 'agent "w" {\n    argv "x"\n}\n')
        assert declaration_of(reader, "w").identity == "h1.w"

    def test_of_two_neither_counts(self, reader: Reader, catalog_dir: Path) -> None:
        agent(catalog_dir, "w", kdl=kdl("w"))
        agent(catalog_dir, "x", kdl=kdl("w"))
        with pytest.raises(Ambiguous) as refused:
            declaration_of(reader, "w")
        assert str(refused.value) == (
            "h1.w: declared at agents/h1/w/agent.kdl, agents/h1/x/agent.kdl, wanted exactly one"
        )
        assert refused.value.hint == "keep one of them"

    def test_a_broken_one_is_told_with_its_place_and_the_way_out(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "w", "h2", kdl='agent "w" {\n  dev true\n}\n')
        with pytest.raises(BadDeclaration) as refused:
            declared(reader, "h2", "w")
        told, where = refused.value, ("agents/h2/w/agent.kdl", 2, 7)
        assert (told.path, told.line, told.column) == where
        assert str(told) == "agents/h2/w/agent.kdl:2:7: found KDL 1, wanted KDL 2"
        assert told.hint == "write #true for true"

    def test_one_that_is_broken_right_below_the_agents_is_this_host_s(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        right_below(catalog_dir, "w", "agent {")
        with pytest.raises(BadDeclaration, match=r"^agents/w/agent\.kdl:1:"):
            declaration_of(reader, "w")

    def test_a_sound_one_beside_a_broken_one_counts(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "w", kdl="agent {")
        agent(catalog_dir, "x", kdl=kdl("w", body='    argv "x"\n'))
        assert declaration_of(reader, "w").path == "agents/h1/x/agent.kdl"
