"""Syncthing between two folders: real programs on loopback, with nothing that calls out."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from support.wrapped import until

WAIT_S = 150.0
FOLDER = "catalog"
# No discovery, no relay, no NAT, no report, no upgrade: both ends are told where the other is.
OPTIONS = {
    "listenAddress": "tcp://127.0.0.1:0",
    "globalAnnounceEnabled": "false",
    "localAnnounceEnabled": "false",
    "relaysEnabled": "false",
    "natEnabled": "false",
    "stunServer": "",
    "startBrowser": "false",
    "crashReportingEnabled": "false",
    "urAccepted": "-1",
    "autoUpgradeIntervalH": "0",
    "reconnectionIntervalS": "1",
}


class Syncthing:
    """One instance with a home of its own, ended by :meth:`close`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = home / "log"
        home.mkdir()
        env = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath)}
        generate = ["syncthing", "generate", f"--home={home}", "--skip-port-probing"]
        run = subprocess.run([*generate, "--no-default-folder"], env=env, capture_output=True)
        assert run.returncode == 0, run.stdout + run.stderr
        self._configure()
        serve = ["syncthing", "serve", f"--home={home}", "--no-browser", "--no-upgrade"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*serve, "--no-restart"],
                env={**env, "STNODEFAULTFOLDER": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _configure(self) -> None:
        file = self.home / "config.xml"
        tree = ElementTree.parse(file)
        options = tree.find("options")
        assert options is not None
        for name, value in OPTIONS.items():
            for each in options.findall(name):
                each.text = value
        tree.find("gui/address").text = "127.0.0.1:0"  # type: ignore[union-attr]
        self.key = str(tree.findtext("gui/apikey"))
        self.device = str(tree.find("device").get("id"))  # type: ignore[union-attr]
        tree.write(file)

    @property
    def url(self) -> str:
        """Where its API listens, once it does."""

        def told() -> str | None:
            assert self.process.poll() is None, self.log.read_text()
            found = re.search(r"GUI and API listening on (127\.0\.0\.1:\d+)", self.log.read_text())
            return found and f"http://{found[1]}"

        return str(until(told, WAIT_S))

    def rest(self, method: str, path: str, body: object = None) -> Any:
        """Ask the API; an error is one of the test."""
        request = urllib.request.Request(
            f"{self.url}/rest/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-API-Key": self.key, "Content-Type": "application/json"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=WAIT_S) as answer:
            raw = answer.read()
        return json.loads(raw) if raw else None

    def address(self) -> str:
        """Where it waits for others."""

        def listening() -> str | None:
            [service] = self.rest("GET", "system/status")["connectionServiceStatus"].values()
            found = [each for each in service["lanAddresses"] or [] if not each.endswith(":0")]
            return found[0] if found else None

        return str(until(listening, WAIT_S))

    def share(self, folder: Path, *, with_: Syncthing, dials: bool) -> None:
        """Share *folder* with another instance, which is called, or which calls."""
        addresses = [with_.address()] if dials else ["dynamic"]
        known = {"deviceID": with_.device, "addresses": addresses}
        self.rest("PUT", f"config/devices/{with_.device}", known)
        shared = {"id": FOLDER, "path": str(folder), "devices": [{"deviceID": with_.device}]}
        quiet = {"fsWatcherEnabled": False, "rescanIntervalS": 3600}
        self.rest("PUT", f"config/folders/{FOLDER}", {**shared, **quiet})

    def scan(self) -> bool:
        """Look at the folder now; say whether it has been, which a new one may not yet be."""
        try:
            self.rest("POST", f"db/scan?folder={FOLDER}")
        except urllib.error.HTTPError:
            return False
        return True

    def is_connected(self, other: Syncthing) -> bool:
        """Say whether the two talk."""
        known = self.rest("GET", "system/connections")["connections"]
        return bool(known.get(other.device, {}).get("connected"))

    def close(self) -> None:
        """End it and its own child: the group is ours, we made it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(20)
                return
            except subprocess.TimeoutExpired:
                continue
            except ProcessLookupError:
                break
        self.process.wait(20)
