"""The key that a host signs with: how it is chosen, kept, and never asked a passphrase for."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Cli
from support.fleet import START_MS, Fleet, good, put
from support.keys import Keys
from support.wrapped import until


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "keys")


def listing(one: Cli, policy: str, lines: str) -> None:
    """Let a host's catalog ask for signatures."""
    (one.catalog / "catalog.kdl").write_text(f'signing "{policy}"\n')
    (one.catalog / "hosts.allowed_signers").write_text(lines)


def is_signed(fleet: Fleet, host: str) -> bool:
    return "gpgsig" in fleet.git("cat-file", "commit", f"refs/st2/presence/{host}")


class TestKept:
    """`st2 sync --sign KEY` is said once."""

    def test_a_key_that_worked_is_kept_and_an_empty_one_turns_it_off(
        self, fleet_of: Callable[[str], Cli], fleet: Fleet, keys: Keys
    ) -> None:
        one = fleet_of("h1")
        good(one("sync", "--sign", keys.path("k1").name, cwd=keys.folder))
        good(one("sync"))
        assert is_signed(fleet, "h1")
        good(one("sync", "--sign", ""))
        good(one("sync"))
        assert not is_signed(fleet, "h1")

    @pytest.mark.parametrize("folder", ["none", "a file"])
    def test_it_signs_without_a_folder_for_temporary_files_and_leaves_none(
        self, fleet_of: Callable[[str], Cli], fleet: Fleet, keys: Keys, folder: str
    ) -> None:
        one = fleet_of("h1")
        (one.home / "a file").touch()
        done = good(
            one("sync", "--sign", str(keys.path("k1")), env={"TMPDIR": f"{one.home}/{folder}"})
        )
        assert done.err == b"" and is_signed(fleet, "h1")
        assert [path for path in one.catalog.rglob("*") if "tmp" in path.name] == []

    def test_a_key_that_cannot_sign_is_not_kept(
        self, fleet_of: Callable[[str], Cli], fleet: Fleet, keys: Keys
    ) -> None:
        one = fleet_of("h1")
        refused = one("sync", "--sign", str(keys.folder / "none"))
        assert (refused.code, refused.errors.splitlines()[-1]) == (
            1,
            "hint: name a key that needs no passphrase, or the public half of one that ssh-agent"
            " holds",
        )
        good(one("sync"))
        assert not is_signed(fleet, "h1")

    def test_a_key_in_settings_that_came_with_the_catalog_is_not_used(
        self, fleet_of: Callable[[str], Cli], fleet: Fleet, keys: Keys
    ) -> None:
        one = fleet_of("h1")
        settings = one.catalog / ".st2/h1/settings"
        fields = json.loads(settings.read_bytes()) | {"sign": str(keys.path("k1"))}
        settings.write_text(json.dumps(fields))
        refused = one("sync")
        assert "was not set on this machine" in refused.errors
        good(one("sync", "--remote", str(fleet.remote)))
        assert not is_signed(fleet, "h1")

    def test_both_are_for_one_round_and_a_policy_is_one_of_three(
        self, fleet_of: Callable[[str], Cli]
    ) -> None:
        one = fleet_of("h1")
        assert one("sync", "--watch", "--sign", "x").code == 2
        assert one("sync", "--signing", "maybe").errors.startswith(
            "st2: --signing: found 'maybe', wanted one of off, warn, require\n"
        )


def test_a_hosts_own_policy_is_not_undone_by_a_commit_to_the_catalog(
    fleet_of: Callable[[str], Cli], keys: Keys
) -> None:
    one, other = fleet_of("h1"), fleet_of("h2")
    good(other("sync"))
    listing(one, "off", keys.line("h1", "k1"))
    good(one("sync", "--sign", str(keys.path("k1")), "--signing", "require"))
    warned = good(one("sync"))
    assert "warning: h2: it is not signed\n" in warned.errors


def test_hosts_shows_the_signer_and_rows_show_the_doubt(
    fleet_of: Callable[[str], Cli], keys: Keys
) -> None:
    one, other, third = fleet_of("h1"), fleet_of("h2"), fleet_of("h3")
    put(third, "a1", "status", b"busy\nv1 %d\n" % START_MS)
    good(third("sync"))
    good(other("sync", "--sign", str(keys.path("k2"))))
    listing(one, "warn", keys.line("h2", "k2"))
    good(one("sync"))
    rows = {row["host"]: row for row in json.loads(good(one("hosts", "--json")).out)}
    assert rows["h2"]["signer"] == keys.fingerprint("k2")
    assert (rows["h3"]["signer"], rows["h3"]["findings"][0]["code"]) == (None, "signature-doubted")
    assert rows["h1"]["findings"][0]["message"] == "h1: it is not signed"
    lines = good(one("hosts")).text.splitlines()
    assert lines[1].endswith(f"\tsigned {keys.fingerprint('k2')}")
    [row] = json.loads(good(one("agents", "h3.a1", "--json")).out)
    assert "signature-doubted" in [each["code"] for each in row["findings"]]
    assert "finding   signature-doubted: h3: it is not signed" in good(one("why", "h3.a1")).text
    listing(one, "off", "")
    good(one("sync"))
    after = json.loads(good(one("hosts", "--json")).out)
    assert [(row["signer"], row["findings"]) for row in after] == [(None, [])] * 3


def test_a_line_of_the_list_that_cannot_be_used_is_named_by_hosts_and_doctor(
    fleet_of: Callable[[str], Cli], keys: Keys
) -> None:
    one = fleet_of("h1")
    listing(one, "off", keys.line("h1", "k1") + keys.line("*", "k2"))
    [row] = json.loads(good(one("hosts", "--json")).out)
    [told] = row["findings"]
    assert (told["code"], told["path"]) == ("signer-unusable", "hosts.allowed_signers")
    assert told["message"] == "line 2: principal '*', wanted the names of hosts, no pattern"
    doctor = json.loads(one("doctor", "--json").out)
    assert "hosts.allowed_signers" in json.dumps(doctor)


def test_a_key_with_a_passphrase_fails_at_once_and_asks_nobody(
    fleet_of: Callable[[str], Cli], keys: Keys
) -> None:
    key = keys.path("locked", "secret")
    refused = fleet_of("h1")("sync", "--sign", str(key), env={"DISPLAY": ":9"})
    assert refused.code == 1
    assert refused.errors.splitlines()[-2].startswith(f"st2: key {key}: cannot be used to sign: ")


def test_a_key_that_ssh_agent_holds_signs(
    fleet_of: Callable[[str], Cli], fleet: Fleet, keys: Keys, tmp_path: Path
) -> None:
    one, socket, private = fleet_of("h1"), tmp_path / "agent", keys.path("k1")
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
    try:
        env = {"SSH_AUTH_SOCK": str(socket)}
        add = ("ssh-add", "-q", str(private))
        until(lambda: subprocess.run(add, env=env | one.env, capture_output=True).returncode == 0)
        private.unlink()
        good(one("sync", "--sign", str(private.with_suffix(".pub")), env=env))
        assert is_signed(fleet, "h1")
    finally:
        agent.terminate()
        agent.wait()


def test_a_policy_that_is_spelled_wrong_is_no_silence(
    fleet_of: Callable[[str], Cli], keys: Keys
) -> None:
    one = fleet_of("h1")
    good(one("sync"))
    (one.catalog / "catalog.kdl").write_text('signing "reqire"\n')
    sentence = "catalog.kdl: found signing reqire, wanted off, warn, require"
    assert f"warning: {sentence}\n" in good(one("sync")).errors
    assert f"warning: {sentence}\nhint: correct it" in good(one("hosts")).errors
    doctor = json.loads(one("doctor", "--json").out)
    assert [each["code"] for each in doctor["findings"]] == ["setting-unusable"]
