"""Every path of the catalog. Nobody else builds one.

Paths are relative to the catalog's root and use ``/``; :meth:`Layout.absolute` makes one
that other programs can open.
"""

from __future__ import annotations

RECORDS = ("activity", "held", "seen", "session.json", "status")
"""The runtime records of an agent, sorted as they stand in a snapshot."""

DECLARATIONS = ("agent.kdl", "agent.toml", "agent.json")
"""The names under which a declaration is looked for, the first one found wins."""

OWNERS, EVIDENCE = "owner", "process"
"""Folders of this host's own: the locks of sessions' owners, and what was seen of harnesses."""


class Layout:
    """The paths of one catalog as seen from one host."""

    __slots__ = ("host", "root")

    def __init__(self, root: str, host: str) -> None:
        self.root = root
        self.host = host

    def absolute(self, path: str) -> str:
        """Return *path* as an absolute path."""
        return f"{self.root}/{path}" if path else self.root

    def agents(self) -> str:
        """Return the folder of all hosts' agents."""
        return "agents"

    def host_folder(self, host: str) -> str:
        """Return the folder of one host's agents."""
        return f"agents/{host}"

    def agent_folder(self, host: str, agent: str) -> str:
        """Return the folder of one agent's records."""
        return f"agents/{host}/{agent}"

    def record(self, host: str, agent: str, name: str) -> str:
        """Return one record of one agent."""
        return f"agents/{host}/{agent}/{name}"

    def inbox(self, host: str, agent: str) -> str:
        """Return the folder whose files ``--enrich`` counts."""
        return f"agents/{host}/{agent}/resources/inbox"

    def hosts(self) -> str:
        """Return the folder of all hosts' own records."""
        return "hosts"

    def host_beat(self, host: str) -> str:
        """Return the record of when a host last published."""
        return f"hosts/{host}/beat"

    def settings(self) -> str:
        """Return the authored settings of the whole catalog."""
        return "catalog.kdl"

    def allowed_signers(self) -> str:
        """Return the authored list of which key may sign for which host."""
        return "hosts.allowed_signers"

    def local(self, name: str = "") -> str:
        """Return this host's own folder, or something in it; it is never replicated."""
        return f".st2/{self.host}/{name}" if name else f".st2/{self.host}"

    def node(self) -> str:
        """Return the file that tells this copy of the catalog from a copied one."""
        return self.local("node")

    def local_settings(self) -> str:
        """Return this host's settings: the remote."""
        return self.local("settings")

    def cache(self) -> str:
        """Return what was read of the declarations before; it may be deleted at any time."""
        return self.local("cache")

    def log(self) -> str:
        """Return this host's log."""
        return self.local("log")

    def materialize_lock(self) -> str:
        """Return the lock of the one who writes into workspaces from this host."""
        return self.local("materialize")

    def hook_log(self) -> str:
        """Return what hooks leave that failed or were refused."""
        return self.local("hooks")

    def repository(self) -> str:
        """Return the git repository that only st2 uses."""
        return self.local("repository")

    def collected(self, host: str = "") -> str:
        """Return what was last accepted from one host, or the folder of all of it."""
        return self.local(f"collected/{host}" if host else "collected")

    def heard(self, host: str = "") -> str:
        """Return what this host observed of another: clock, signature; or the folder of it all."""
        return self.local(f"heard/{host}" if host else "heard")

    def polled(self) -> str:
        """Return when this host last looked at all refs of its remote."""
        return self.local("polled")

    def published(self) -> str:
        """Return what this host last published."""
        return self.local("published")

    def latest(self) -> str:
        """Return what became of this host's last round."""
        return self.local("latest")

    def publisher_lock(self) -> str:
        """Return the lock of the one publisher of this host."""
        return self.local("publisher")

    def watching_lock(self) -> str:
        """Return the lock that is held besides by a publisher that stays."""
        return self.local("watching")

    def lock(self, agent: str) -> str:
        """Return the lock under which an agent's records are written."""
        return self.local(f"lock/{agent}")

    def owner_lock(self, agent: str) -> str:
        """Return the lock that a session's owner holds for its whole life."""
        return self.local(f"{OWNERS}/{agent}")

    def process_folder(self) -> str:
        """Return the folder of all process evidence of this host."""
        return self.local(EVIDENCE)

    def process(self, agent: str) -> str:
        """Return the process evidence of an agent's session."""
        return self.local(f"{EVIDENCE}/{agent}")
