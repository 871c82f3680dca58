"""The line that lets a key publish for one host: its form, and a real sshd that obeys it."""

from __future__ import annotations

import subprocess
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.refusals import BadName, BadUsage
from catalog.sync.authorize import line, script
from catalog.sync.keys import KINDS
from conftest import Cli
from support.fleet import git, good, put
from support.sshd import Sshd

BODY = b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0 " + bytes(32)).decode()
KEY = f"ssh-ed25519 {BODY} me@laptop"


class TestLine:
    """What is printed for good names and keys, and what is refused."""

    def test_it_restricts_the_key_to_one_repository_and_one_hosts_refs(self) -> None:
        printed = line("h2", KEY, "/srv/presence.git")
        assert printed.startswith('restrict,command="exec sh -c ')
        assert printed.endswith(f'" {KEY}')
        assert '\\"$SSH_ORIGINAL_COMMAND\\"' in printed
        assert "receive.hideRefs=refs/ -c receive.hideRefs=!refs/st2/presence/h2 " in printed
        assert "receive-pack /srv/presence.git;;" in printed
        assert "\n" not in printed

    def test_a_key_without_a_comment_is_one_too(self) -> None:
        assert line("h2", f"  ssh-ed25519 {BODY}\n", "/srv/p").endswith(f'" ssh-ed25519 {BODY}')

    @pytest.mark.parametrize("host", ["", "H2", "../x", "a b", "h2;id", "-h"])
    def test_a_host_that_is_none_is_refused(self, host: str) -> None:
        with pytest.raises(BadName):
            line(host, KEY, "/srv/p")

    @pytest.mark.parametrize(
        ("key", "sentence"),
        [
            ("", "key: 0 lines, wanted one public key"),
            (f"{KEY}\n{KEY}\n", "key: 2 lines, wanted one public key"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\n", "key: found a private key"),
            (f'command="x" {KEY}', "key: kind 'command=\"x\"', wanted one of ssh-ed25519, "),
            (f"ssh-dss {BODY}", "key: kind 'ssh-dss', wanted one of ssh-ed25519, "),
            (f"ssh-rsa {BODY}", "key: no ssh-rsa key in its base64"),
            (f"ssh-ed25519 {BODY[:30]}!{BODY[30:]}", "key: no ssh-ed25519 key in its base64"),
            ("ssh-ed25519 AAAA!", "key: no ssh-ed25519 key in its base64"),
            ("ssh-ed25519", "key: no ssh-ed25519 key in its base64"),
            (f"{KEY}\x1b[2J", "key: a comment with control characters"),
        ],
    )
    def test_a_key_that_is_none_is_refused(self, key: str, sentence: str) -> None:
        with pytest.raises(BadUsage) as refused:
            line("h2", key, "/srv/p")
        assert str(refused.value).startswith(sentence)

    def test_the_whole_line(self) -> None:
        """What the server's ssh runs, word for word."""
        hidden = "-c {0}.hideRefs=refs/ -c {0}.hideRefs=!{1} -c {0}.hideRefs=!{2}"
        trial = " -c {0}.hideRefs=!refs/st2/probe/h2"
        push = (hidden + trial).format(
            "receive", "refs/st2/presence/h2", "refs/heads/st2/presence/h2"
        )
        fetch = (hidden + trial).format(
            "uploadpack", "refs/st2/presence", "refs/heads/st2/presence"
        )
        assert script("h2", "/srv/p q") == (
            'case "$SSH_ORIGINAL_COMMAND" in git-receive-pack*) exec git '
            f"{push} -c receive.maxInputSize=16m -c receive.fsckObjects=true"
            " receive-pack '/srv/p q';; git-upload-pack*) exec git "
            f"{fetch} -c uploadpack.allowFilter=true upload-pack '/srv/p q';; "
            "*) echo only git push and git fetch >&2; exit 1;; esac"
        )

    @pytest.mark.parametrize(("longer", "taken"), [(0, True), (1, False)])
    def test_a_key_has_at_most_16384_letters(self, longer: int, taken: bool) -> None:
        key = f"{KEY} {'x' * (16_384 - len(KEY) - 1 + longer)}"
        if taken:
            assert line("h2", key, "/srv/p").endswith(key)
        else:
            with pytest.raises(BadUsage, match="key: 1 lines, wanted one public key"):
                line("h2", key, "/srv/p")

    @pytest.mark.parametrize("rest", [0, 4, 5])
    def test_a_key_holds_more_than_the_word_for_its_kind(self, rest: int) -> None:
        body = b64encode(b"\0\0\0\x0bssh-ed25519" + bytes(rest)).decode()
        if rest > 4:
            assert body in line("h2", f"ssh-ed25519 {body}", "/srv/p")
        else:
            with pytest.raises(BadUsage, match="no ssh-ed25519 key in its base64, wanted one"):
                line("h2", f"ssh-ed25519 {body}", "/srv/p")

    def test_blanks_around_the_parts_of_a_key_are_none_of_it(self) -> None:
        printed = line("h2", f"\n\n  ssh-ed25519   {BODY}   me at home \n", "/srv/p")
        assert printed.endswith(f'" ssh-ed25519 {BODY} me at home')

    @pytest.mark.parametrize("key", ["PRIVATE KEY", "ssh-dss x", f"{KEY}\x1b", "ssh-rsa x", ""])
    def test_a_refusal_says_what_a_key_looks_like(self, key: str) -> None:
        with pytest.raises(BadUsage) as refused:
            line("h2", key, "/srv/p")
        assert refused.value.hint.startswith("a public key is one line: its kind, base64")

    @pytest.mark.parametrize(
        ("code", "taken"), [(31, False), (32, True), (126, True), (127, False)]
    )
    def test_a_path_holds_no_control_character(self, code: int, taken: bool) -> None:
        if taken:
            assert "receive-pack" in line("h2", KEY, f"/srv/{chr(code)}p")
        else:
            with pytest.raises(BadUsage, match="wanted an absolute path"):
                line("h2", KEY, f"/srv/{chr(code)}p")

    def test_a_long_path_and_a_long_kind_are_cut_where_they_are_told(self) -> None:
        with pytest.raises(BadUsage, match=f"^path '{'p' * 60}': wanted an absolute path on"):
            line("h2", KEY, "p" * 61)
        with pytest.raises(BadUsage, match=f"^key: kind '{'k' * 60}', wanted one of ssh-ed25519, "):
            line("h2", f"{'k' * 61} {BODY}", "/srv/p")

    @pytest.mark.parametrize("path", ["", "p.git", "~/p.git", "/srv/a\nb"])
    def test_a_path_that_is_not_absolute_is_refused(self, path: str) -> None:
        with pytest.raises(BadUsage, match="wanted an absolute path"):
            line("h2", KEY, path)

    @given(st.text(alphabet="ssh-ed25519 AB=\n\"'\\,\x00", max_size=80))
    def test_whatever_the_key_nothing_but_one_line_or_a_refusal_comes_out(self, text: str) -> None:
        try:
            printed = line("h2", text, "/srv/p")
        except BadUsage:
            return
        assert "\n" not in printed
        assert printed.split('" ')[-1].split()[0] in KINDS

    @given(
        st.text(alphabet="ab '\"\\$`!;/\t", min_size=1, max_size=20).map(lambda text: f"/{text}")
    )
    def test_the_path_is_one_word_of_the_shell_whatever_is_in_it(self, path: str) -> None:
        if "\t" in path:
            return
        words = script("h2", path).replace("exec git", "printf '%s\\n'")
        env = {"SSH_ORIGINAL_COMMAND": "git-receive-pack '/x'", "PATH": "/usr/bin:/bin"}
        done = subprocess.run(["sh", "-c", words], env=env, capture_output=True, check=True)
        assert done.stdout.decode().splitlines()[-2:] == ["receive-pack", path]


class TestServer:
    """A real sshd with the line in its authorized_keys."""

    @pytest.fixture
    def bare(self, tmp_path: Path) -> Path:
        """A repository that has other refs too, at a path with a blank and a quote in it."""
        path = tmp_path / "it's presence.git"
        git("init", "-q", "--bare", path)
        tree = git(f"--git-dir={path}", "mktree")
        commit = git(f"--git-dir={path}", "commit-tree", "-m", "x", tree)
        git(f"--git-dir={path}", "update-ref", "refs/heads/main", commit)
        return path

    @pytest.fixture
    def hosts(self, cli: Cli, sshd: Sshd, bare: Path, tmp_path: Path) -> dict[str, Cli]:
        """Two hosts, each with a key of its own and the line that was printed for it."""
        made, lines = {}, []
        for name in ("h1", "h2"):
            catalog = tmp_path / name
            env = {**sshd.env(cli.env, key=name), "CATALOG": str(catalog), "ST2_HOST": name}
            made[name] = replace(cli, catalog=catalog, env=env)
            public = f"{sshd.key(name)}.pub"
            lines.append(good(cli("remote", "authorize", name, public, str(bare))).text)
        sshd.authorized("".join(lines))
        for one in made.values():
            good(one("init", "--remote", sshd.address(str(bare).replace(" ", "%20"))))
            put(one, "a1", "status", b"busy\nv1 5\n")
        return made

    def test_each_host_publishes_its_own_and_collects_the_others(
        self, hosts: dict[str, Cli]
    ) -> None:
        for name in ("h1", "h2"):
            good(hosts[name]("sync"))
        assert good(hosts["h1"]("sync")).text.endswith("collected h2\n")
        assert (hosts["h1"].catalog / "agents/h2/a1/status").read_bytes() == b"busy\nv1 5\n"

    def test_a_host_cannot_publish_for_another(self, hosts: dict[str, Cli], bare: Path) -> None:
        good(hosts["h1"]("sync"))
        before = git(f"--git-dir={bare}", "for-each-ref")
        env = {"ST2_HOST": "h1", "CATALOG": str(hosts["h2"].catalog)}
        refused = hosts["h2"]("sync", "--remote", self.address(hosts), env=env)
        assert refused.code == 1
        assert "deny updating a hidden ref" in refused.errors
        assert "hint: this key may publish for another host" in refused.errors
        assert git(f"--git-dir={bare}", "for-each-ref") == before

    def test_it_reaches_no_other_ref_and_runs_nothing_else(
        self, hosts: dict[str, Cli], sshd: Sshd, bare: Path
    ) -> None:
        env = hosts["h1"].env
        listed = subprocess.run(
            ["git", "ls-remote", self.address(hosts)], env=env, capture_output=True, check=True
        )
        assert b"refs/heads/main" not in listed.stdout
        asked = ["ssh", "-oBatchMode=yes", "presence-server", f"touch {sshd.folder}/PWNED"]
        done = subprocess.run(asked, env=env, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (1, b"only git push and git fetch\n")
        assert not (sshd.folder / "PWNED").exists()

    def address(self, hosts: dict[str, Cli]) -> str:
        """The remote of h1, as it was chosen."""
        settings = (hosts["h1"].catalog / ".st2/h1/settings").read_text()
        return settings.partition('"remote": "')[2].partition('"')[0]


def test_the_path_comes_from_the_remote_where_none_is_given(cli: Cli, tmp_path: Path) -> None:
    refused = cli("remote", "authorize", "h2", KEY)
    assert (refused.code, "PATH: not given, and no remote is chosen" in refused.errors) == (2, True)
    good(cli("init", "--remote", str(tmp_path / "p.git")))
    assert f"receive-pack {tmp_path}/p.git;;" in good(cli("remote", "authorize", "h2", KEY)).text


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("/srv/p", "/srv/p"),
        ("ssh://me@server:22/srv/p", "/srv/p"),
        ("me@server:/srv/p", "/srv/p"),
        ("file:///srv/p", "/srv/p"),
    ],
)
def test_an_address_stands_for_the_path_that_it_names(cli: Cli, place: str, path: str) -> None:
    told = good(cli("remote", "authorize", "h2", KEY, place)).text
    assert f" receive-pack {path};;" in told and f" upload-pack {path};;" in told


@pytest.mark.parametrize("place", ["https://server/p", "me@server:p", "ssh://server/~/p"])
def test_an_address_that_names_no_whole_path_is_refused(cli: Cli, place: str) -> None:
    refused = cli("remote", "authorize", "h2", KEY, place)
    assert (refused.code, refused.out) == (2, b"")
    assert "wanted" in refused.errors


def test_a_key_file_that_is_not_there_is_a_sentence(cli: Cli) -> None:
    refused = cli("remote", "authorize", "h2", "none.pub", "/srv/p")
    sentence = "st2: key none.pub: no such file or directory, wanted a public key or its file\n"
    assert (refused.code, refused.errors) == (2, sentence)
