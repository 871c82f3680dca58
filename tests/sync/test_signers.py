"""``hosts.allowed_signers``: a strict reader, and ssh-keygen to judge what it lets through."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.sync.signers import Signers, parse
from catalog.sync.signing import Signed, Unsigned, split
from catalog.system.signatures import Keyring

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINq8nRBkfjcQ7EI1EGh1YGRDe4wkc65PMyslYFmbClvV"
OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
DSA = "ssh-dss AAAAB3NzaC1kc3MA"


def lines(text: str, host: str = "h1") -> str:
    return parse(text.encode()).lines_for(host).decode()


class TestUsed:
    """What is taken from the list for one host, written anew."""

    def test_a_line_of_a_host_is_its_key(self) -> None:
        assert lines(f"h1 {KEY} a comment\n") == f"h1 {KEY}\n"

    def test_a_line_of_many_hosts_is_shown_for_each_alone(self) -> None:
        text = f"h1,h2,alice@example.org {KEY}"
        assert (lines(text), lines(text, "h2"), lines(text, "h3")) == (
            f"h1 {KEY}\n",
            f"h2 {KEY}\n",
            "",
        )

    def test_a_host_may_have_many_keys_while_one_replaces_the_other(self) -> None:
        assert lines(f"h1 {KEY}\nh2 {KEY}\nh1 {OTHER}\n") == f"h1 {KEY}\nh1 {OTHER}\n"

    def test_quotes_blanks_comments_and_line_ends_of_other_systems_are_read(self) -> None:
        text = f'\r\n# h1\n \t"h1"\t {KEY}\r\n'
        assert lines(text) == f"h1 {KEY}\n"
        assert parse(text.encode()).faults == ()

    def test_a_key_may_end_in_any_letter(self) -> None:
        assert lines(f"h1 {OTHER[:-1]}X") == f"h1 {OTHER[:-1]}X\n"

    @pytest.mark.parametrize(
        "options",
        [
            'namespaces="git"',
            'NAMESPACES="file,git"',
            'valid-after="20260101",valid-before="20270101120000Z"',
            'namespaces="git",valid-before="202701011200"',
        ],
    )
    def test_options_are_left_to_ssh_keygen_as_they_stand(self, options: str) -> None:
        assert lines(f"h1 {options} {KEY}") == f"h1 {options} {KEY}\n"

    def test_people_in_a_shared_list_are_no_fault(self) -> None:
        for name in ("alice@example.org", "Xavier@example.org", "Xh1", "h1X"):
            found = parse(f"{name} {KEY}\n".encode())
            assert (found.entries, found.faults) == ((), ())


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("h1", "no key after the principals"),
        (f"\x0bh1 {KEY}", "no key after the principals"),
        ("*" * 41 + f" {KEY}", f"principal '{'*' * 40}', wanted the names of hosts, no pattern"),
        (
            f'h1 namespaces="git" {DSA}',
            "key 'ssh-dss', wanted the kind and the base64 of an ssh public key",
        ),
        (f"* {KEY}", "principal '*', wanted the names of hosts, no pattern"),
        (f"h? {KEY}", "principal 'h?', wanted the names of hosts, no pattern"),
        (f"!h2,h1 {KEY}", "principal '!h2', wanted the names of hosts, no pattern"),
        (f"h1,, {KEY}", "principal '', wanted the names of hosts, no pattern"),
        (
            f"h1 cert-authority {KEY}",
            "option 'cert-authority', wanted namespaces, valid-after or valid-before",
        ),
        (f"h1 namespaces {KEY}", "option namespaces, wanted it once and with a value"),
        (
            f'h1 namespaces="git",namespaces="file" {KEY}',
            "option namespaces, wanted it once and with a value",
        ),
        (
            f'h1 valid-before="tomorrow" {KEY}',
            "valid-before 'tomorrow', wanted YYYYMMDD[HHMM[SS]], and Z for UTC",
        ),
        (
            f"h1 valid-before=20270101 {KEY}",
            """options 'valid-before=20270101', wanted name="value" and commas""",
        ),
        (
            f'h1 namespaces="git", {KEY}',
            """options 'namespaces="git",', wanted name="value" and commas""",
        ),
        ('h1 namespaces="git"', "no key after the options"),
        (
            "h1 ssh-ed25519 AAAA",
            "key 'ssh-ed25519', wanted the kind and the base64 of an ssh public key",
        ),
        (
            f"h1 ssh-rsa {KEY.split()[1]}",
            "key 'ssh-rsa', wanted the kind and the base64 of an ssh public key",
        ),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_the_others_are(line: str, why: str) -> None:
    found = parse(f"h2 {OTHER}\n{line}\n".encode())
    assert found.faults == ((2, why),)
    assert found.hosts_of(found.entries[0].fingerprint) == ("h2",)
    assert found.lines_for("h1") == b""


class TestBytes:
    """The list comes from whoever may commit."""

    @given(st.binary(max_size=300))
    def test_no_bytes_raise(self, raw: bytes) -> None:
        assert isinstance(parse(raw), Signers)

    @given(
        st.lists(
            st.sampled_from(["h1", "h2", "*", ",", " ", '"', "\t", KEY, 'namespaces="git"', "\n"]),
            max_size=12,
        )
    )
    def test_what_is_shown_to_ssh_keygen_names_the_one_host_alone(self, parts: list[str]) -> None:
        found = parse("".join(parts).encode())
        for host in ("h1", "h2"):
            for line in found.lines_for(host).decode().splitlines():
                assert line.split(" ")[0] == host
                # Four letters more are base64 too, of a key that is nobody's.
                assert KEY in line

    @given(st.binary(max_size=400))
    def test_no_commit_raises(self, raw: bytes) -> None:
        for commit in (raw, b"tree x\ngpgsig " + raw, b"tree x\ngpgsig -----BEGIN SSH SIG" + raw):
            assert isinstance(split(commit), Signed | Unsigned)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen here")
class TestKeyring:
    """The one port that checks a signature."""

    @pytest.fixture
    def signed(self, tmp_path: Path) -> tuple[bytes, bytes]:
        """The public line of a key, and its signature over ``payload``."""
        key = tmp_path / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        made = subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", key],
            input=b"payload",
            capture_output=True,
            check=True,
        )
        public = (tmp_path / "key.pub").read_bytes()
        return b"h1 " + public, made.stdout

    def ask(self, payload: bytes, armour: bytes, listed: bytes, principal: str = "h1") -> str:
        return Keyring().doubt(payload, armour, lines=listed, principal=principal, namespace="git")

    def test_a_good_signature_leaves_no_doubt(self, signed: tuple[bytes, bytes]) -> None:
        assert self.ask(b"payload", signed[1], signed[0]) == ""

    def test_another_payload_another_principal_and_no_line_do(
        self, signed: tuple[bytes, bytes]
    ) -> None:
        listed, armour = signed
        assert "incorrect signature" in self.ask(b"payloaD", armour, listed)
        assert self.ask(b"payload", armour, listed, "h2") != ""
        assert self.ask(b"payload", armour, b"") != ""
        assert self.ask(b"payload", b"junk\x1b[31m", listed) != ""

    def test_a_program_that_is_missing_is_a_doubt(
        self, signed: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        told = self.ask(b"payload", signed[1], signed[0])
        assert told == "ssh-keygen is not on PATH, so nothing can be checked"

    def test_a_program_that_does_not_end_is_a_doubt(
        self, signed: tuple[bytes, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        slow = tmp_path / "bin/ssh-keygen"
        slow.parent.mkdir()
        slow.write_text("#!/bin/sh\nexec sleep 300\n")
        slow.chmod(0o755)
        monkeypatch.setenv("PATH", f"{slow.parent}:/usr/bin:/bin")
        told = Keyring(limit_s=0.2).doubt(b"", b"", lines=b"", principal="h1", namespace="git")
        assert told == "no answer of ssh-keygen after 0.2 s"
