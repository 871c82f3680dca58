"""Which agent a name means, in one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.layout import Layout
from catalog.names import bus_id
from catalog.reader import Reader
from catalog.refusals import Ambiguous, BadName, ForeignHost, NotFound
from catalog.resolve import declaration_of, one_of, resolve, resolve_here
from catalog.system.files import Files
from catalogs import T, agent, record, right_below
from catalogs import declared as kdl
from strategies import agents, hosts
from support.walked import OneFolder, Watched

BUSY = record("busy", T)
NO_SUCH = "no such agent in this catalog, wanted a bus id or a bare name"


@pytest.fixture
def reader(catalog_dir: Path) -> Reader:
    return Reader(Files(str(catalog_dir)), Layout(str(catalog_dir), "h1"))


@pytest.fixture
def direct(catalog_dir: Path) -> Reader:
    """A reader that looks into the folder of one agent alone."""
    return Reader(OneFolder(str(catalog_dir)), Layout(str(catalog_dir), "h1"))


class TestOneOf:
    """A bus id first; else the one agent of that name."""

    KEYS = (("h1", "a"), ("h2", "a"), ("h2", "b"), ("h3", "h1.b"))

    @pytest.mark.parametrize(
        ("text", "key"),
        [
            ("h1.a", ("h1", "a")),
            ("h2.a", ("h2", "a")),
            ("b", ("h2", "b")),
            ("h1.b", ("h3", "h1.b")),
            ("h3.h1.b", ("h3", "h1.b")),
        ],
    )
    def test_a_name_means_the_one_that_has_it(self, text: str, key: tuple[str, str]) -> None:
        assert one_of(self.KEYS, text) == key

    def test_a_bus_id_wins_over_a_bare_name_of_the_same_letters(self) -> None:
        assert one_of([*self.KEYS, ("h1", "b")], "h1.b") == ("h1", "b")

    @pytest.mark.parametrize("text", ["c", "h1", "h3.a", "H1.a", "h2.h1.b"])
    def test_what_nobody_is_called_is_not_found(self, text: str) -> None:
        with pytest.raises(NotFound) as refused:
            one_of(self.KEYS, text)
        assert str(refused.value) == f"{text}: {NO_SUCH}"

    def test_a_name_of_several_is_refused_with_all_of_them(self) -> None:
        with pytest.raises(Ambiguous) as refused:
            one_of([("h2", "a"), ("h1", "a"), ("h1", "b")], "a")
        assert str(refused.value) == "a: found h1.a, h2.a, wanted exactly one"

    @given(st.sets(st.tuples(hosts(), agents()), min_size=1, max_size=5), st.data())
    def test_every_agent_is_found_by_its_bus_id(
        self, keys: set[tuple[str, str]], data: st.DataObject
    ) -> None:
        key = data.draw(st.sampled_from(sorted(keys)))
        assert one_of(iter(keys), bus_id(*key)) == key


class TestResolve:
    @pytest.mark.parametrize("name", ["-a", "a..b", ""])
    def test_what_is_no_name_is_no_agent(self, reader: Reader, name: str) -> None:
        with pytest.raises(BadName):
            resolve(reader, name)

    @pytest.mark.parametrize(
        "files",
        [
            {"status": BUSY},
            {"session": b"{"},
            {"kdl": kdl("w", "h2")},
            {"kdl": 'agent "w" {\n}\n'},
            {"kdl": kdl("other"), "status": BUSY},
            {"kdl": kdl("w", "h2", f'    description "{"x" * 300}"\n')},
        ],
        ids=["status", "claim", "declared", "no host", "status beside another", "long"],
    )
    def test_a_bus_id_is_found_in_its_own_folder_and_nothing_is_walked(
        self, direct: Reader, catalog_dir: Path, files: dict[str, object]
    ) -> None:
        agent(catalog_dir, "w", "h2", **files)  # type: ignore[arg-type]
        assert resolve(direct, "h2.w") == ("h2", "w")

    @pytest.mark.parametrize(
        "text", [kdl("other", "h2"), kdl("w", "h1"), "agent {", "", 'agent "w" { host "h1"; }']
    )
    def test_a_folder_that_does_not_show_it_is_not_enough(
        self, direct: Reader, catalog_dir: Path, text: str
    ) -> None:
        agent(catalog_dir, "w", "h2", kdl=text)
        with pytest.raises(AssertionError, match=r"^agents: walked"):
            resolve(direct, "h2.w")

    def test_nor_are_other_files_or_none_or_a_copy_of_a_conflict(
        self, direct: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "w").joinpath("held").write_bytes(BUSY)
        agent(catalog_dir, "v")
        agent(catalog_dir, "w.orig", status=BUSY, kdl=kdl("w.orig"))
        for name in ("h1.w", "h1.v", "h1.w.orig", "h1.gone"):
            with pytest.raises(AssertionError, match=r"^agents: walked"):
                resolve(direct, name)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("agent.kdl", 'agent "w" {\n    host "h2"\n    argv "a" 1\n}\n'),
            ("agent.kdl", 'agent "\\u{77}" {\n    host "h2"\n}\n'),
            ("agent.toml", 'agent = "w"\nhost = "h2"\n'),
            ("agent.json", '{"agent": "w", "host": "h2"}'),
        ],
    )
    def test_the_agent_that_content_names_is_found_whatever_its_folder(
        self, reader: Reader, catalog_dir: Path, name: str, text: str
    ) -> None:
        (agent(catalog_dir, "folder") / name).write_text(text)
        assert resolve(reader, "h2.w") == resolve(reader, "w") == ("h2", "w")
        for other in ("folder", "h1.folder", "h2.folder", "h1.w"):
            with pytest.raises(NotFound, match=f"^{other}: {NO_SUCH}$"):
                resolve(reader, other)

    def test_a_host_that_is_not_declared_is_the_folder_s_or_else_this_one(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "v", "h2", kdl='agent "w" {\n}\n')
        assert resolve(reader, "w") == ("h2", "w")
        right_below(catalog_dir, "x", 'agent "x" {\n}\n')
        right_below(catalog_dir, "y", "agent {")
        right_below(catalog_dir, "z", 'agent "z" { argv 1; }\n')
        for name in "xyz":
            assert resolve(reader, name) == resolve(reader, f"h1.{name}") == ("h1", name)

    def test_a_broken_declaration_leaves_the_name_of_its_folder(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "w", "h2", kdl="agent {")
        assert resolve(reader, "w") == resolve(reader, "h2.w") == ("h2", "w")
        right_below(catalog_dir, "-w", 'agent { name "w"')
        assert resolve(reader, "w") == ("h2", "w")

    def test_a_declaration_that_is_no_file_leaves_it_too(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        (agent(catalog_dir, "w", "h2") / "agent.kdl").mkdir()
        assert resolve(reader, "w") == resolve(reader, "h2.w") == ("h2", "w")

    def test_records_make_a_row_where_the_declaration_is_another_s(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "w", status=BUSY, kdl=kdl("v"))
        assert resolve(reader, "w") == ("h1", "w")
        assert resolve(reader, "v") == ("h1", "v")

    def test_a_bare_name_of_two_hosts_is_ambiguous_and_a_bus_id_of_one_is_not(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "w", "h1", status=BUSY)
        agent(catalog_dir, "w", "h2", status=BUSY)
        with pytest.raises(Ambiguous, match=r"^w: found h1\.w, h2\.w, wanted exactly one$"):
            resolve(reader, "w")
        assert resolve(reader, "h2.w") == ("h2", "w")

    def test_a_bare_name_may_look_like_a_bus_id(self, reader: Reader, catalog_dir: Path) -> None:
        agent(catalog_dir, "h1.w", "h2", status=BUSY)
        assert resolve(reader, "h1.w") == ("h2", "h1.w")
        agent(catalog_dir, "w", "h1", status=BUSY)
        assert resolve(reader, "h1.w") == ("h1", "w")

    def test_a_remark_about_a_name_does_not_hide_that_there_is_no_such_agent(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        agent(catalog_dir, "a..b", status=BUSY)
        with pytest.raises(NotFound, match=f"^h1.w: {NO_SUCH}$"):
            resolve(reader, "h1.w")

    def test_of_what_cannot_be_read_three_are_named(self, catalog_dir: Path) -> None:
        agent(catalog_dir, "w", "z", status=BUSY)
        for n in range(4):
            (catalog_dir / f"agents/shut{n}").mkdir()
        reader = Reader(Watched(str(catalog_dir)), Layout(str(catalog_dir), "h1"))
        assert resolve(reader, "w") == ("z", "w")
        with pytest.raises(NotFound) as refused:
            resolve(reader, "v")
        closed = "; ".join(f"agents/shut{n}: permission denied" for n in range(3))
        assert str(refused.value) == (
            f"v: no such agent in what can be read, wanted all of the catalog ({closed})"
        )

    def test_no_record_is_read_for_a_name(self, catalog_dir: Path) -> None:
        agent(catalog_dir, "w", kdl=kdl("w"), status=BUSY)
        files = Watched(str(catalog_dir))
        reader = Reader(files, Layout(str(catalog_dir), "h1"))
        resolve(reader, "w")
        declaration_of(reader, "w")
        assert [limits["status"] for limits in files.limits] == [0, 0]


class TestMeant:
    """Who mistypes a name is told the few that it may have meant, by their bus ids."""

    @pytest.fixture(autouse=True)
    def _fleet(self, catalog_dir: Path) -> None:
        for name, host in (("worker", "h2"), ("worker", "h1"), ("walker", "h1")):
            agent(catalog_dir, name, host, status=BUSY)
        agent(catalog_dir, "workers", kdl=kdl("other"))
        agent(catalog_dir, "worker .", status=BUSY)

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("wroker", "h1.worker, h2.worker or h1.walker"),
            ("h2.wroker", "h2.worker, h1.worker or h1.walker"),
            ("h3.worker", "h1.worker, h2.worker or h1.walker"),
            ("h9.wolker", "h1.walker, h1.worker or h2.worker"),
            ("walkers", "h1.walker, h1.worker or h2.worker"),
            ("othr", "h1.other"),
        ],
    )
    def test_the_likeliest_come_first_and_of_one_name_those_of_its_host(
        self, reader: Reader, catalog_dir: Path, typed: str, meant: str
    ) -> None:
        agent(catalog_dir, "other", kdl=kdl("other"))
        with pytest.raises(NotFound) as refused:
            resolve(reader, typed)
        assert str(refused.value) == f"{typed}: {NO_SUCH}"
        assert refused.value.hint == f"did you mean {meant}; {NotFound.hint}"
        known = [("h2", "worker"), ("h1", "walker"), ("h1", "worker"), ("h1", "other")]
        with pytest.raises(NotFound) as refused:
            one_of(known, typed)
        assert str(refused.value) == f"{typed}: {NO_SUCH}"
        assert refused.value.hint == f"did you mean {meant}; {NotFound.hint}"

    def test_one_whose_host_nothing_says_is_of_this_one(
        self, reader: Reader, catalog_dir: Path
    ) -> None:
        right_below(catalog_dir, "zebra", 'agent "zebra" {\n}\n')
        with pytest.raises(NotFound) as refused:
            resolve(reader, "zebras")
        assert refused.value.hint == f"did you mean h1.zebra; {NotFound.hint}"

    def test_at_most_three_are_told(self, reader: Reader, catalog_dir: Path) -> None:
        for host in ("h3", "h4"):
            agent(catalog_dir, "worker", host, status=BUSY)
        with pytest.raises(NotFound) as refused:
            resolve(reader, "h4.wroker")
        assert refused.value.hint.startswith("did you mean h4.worker, h1.worker or h2.worker; ")

    def test_a_name_that_is_like_none_is_told_where_all_are_listed(self, reader: Reader) -> None:
        with pytest.raises(NotFound) as refused:
            resolve(reader, "h1.x")
        assert refused.value.hint == NotFound.hint

    def test_so_is_one_in_a_catalog_that_cannot_be_read_whole(self, catalog_dir: Path) -> None:
        (catalog_dir / "agents/shut").mkdir()
        reader = Reader(Watched(str(catalog_dir)), Layout(str(catalog_dir), "h1"))
        with pytest.raises(NotFound, match=r"^wrker: no such agent in what can be read") as refused:
            resolve(reader, "wrker")
        assert refused.value.hint.startswith("did you mean h1.worker")


def test_an_agent_of_another_host_is_none_of_this_one_s(reader: Reader, catalog_dir: Path) -> None:
    agent(catalog_dir, "w", "h1", status=BUSY)
    agent(catalog_dir, "v", "h2", status=BUSY)
    assert resolve_here(reader, "h1.w") == resolve_here(reader, "w") == "w"
    with pytest.raises(ForeignHost) as refused:
        resolve_here(reader, "v")
    assert str(refused.value) == "h2.v: an agent of h2, wanted one of h1"
