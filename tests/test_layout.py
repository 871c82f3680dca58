"""Where everything lies: other hosts, other versions and scripts rely on these names."""

from __future__ import annotations

import pytest

from catalog.layout import Layout, presence_ref

HERE = Layout("/srv/catalog", "h1")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (HERE.agents(), "agents"),
        (HERE.host_folder("h2"), "agents/h2"),
        (HERE.agent_folder("h2", "w"), "agents/h2/w"),
        (HERE.record("h2", "w", "status"), "agents/h2/w/status"),
        (HERE.inbox("h2", "w"), "agents/h2/w/resources/inbox"),
        (HERE.hosts(), "hosts"),
        (HERE.host_beat("h2"), "hosts/h2/beat"),
        (HERE.settings(), "catalog.kdl"),
        (HERE.allowed_signers(), "hosts.allowed_signers"),
    ],
)
def test_what_is_replicated_lies_under_the_host_that_writes_it(path: str, place: str) -> None:
    assert path == place


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (HERE.node(), "node"),
        (HERE.local_settings(), "settings"),
        (HERE.cache(), "cache"),
        (HERE.log(), "log"),
        (HERE.hook_log(), "hooks"),
        (HERE.materialize_lock(), "materialize"),
        (HERE.repository(), "repository"),
        (HERE.collected(), "collected"),
        (HERE.collected("h2"), "collected/h2"),
        (HERE.heard("h2"), "heard/h2"),
        (HERE.polled(), "polled"),
        (HERE.published(), "published"),
        (HERE.latest(), "latest"),
        (HERE.publisher_lock(), "publisher"),
        (HERE.watching_lock(), "watching"),
        (HERE.lock("w"), "lock/w"),
        (HERE.owner_lock("w"), "owner/w"),
        (HERE.process_folder(), "process"),
        (HERE.process("w"), "process/w"),
        (HERE.local("anything"), "anything"),
    ],
)
def test_what_is_this_hosts_alone_lies_in_its_own_hidden_folder(path: str, name: str) -> None:
    assert path == f".st2/h1/{name}"
    assert HERE.local() == ".st2/h1"


def test_a_path_is_made_absolute_by_the_root_alone() -> None:
    assert HERE.absolute("agents/h1") == "/srv/catalog/agents/h1"
    assert HERE.absolute("") == "/srv/catalog"


def test_a_host_has_one_ref() -> None:
    assert presence_ref("h2") == "refs/st2/presence/h2"
