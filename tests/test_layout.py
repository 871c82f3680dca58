"""Where everything lies: other hosts, other versions and scripts rely on these names."""

from __future__ import annotations

import pytest

from catalog.layout import Layout


@pytest.mark.parametrize(
    ("method", "names", "place"),
    [
        ("agents", (), "agents"),
        ("host_folder", ("h2",), "agents/h2"),
        ("agent_folder", ("h2", "w"), "agents/h2/w"),
        ("record", ("h2", "w", "status"), "agents/h2/w/status"),
        ("inbox", ("h2", "w"), "agents/h2/w/resources/inbox"),
        ("hosts", (), "hosts"),
        ("host_beat", ("h2",), "hosts/h2/beat"),
        ("settings", (), "catalog.kdl"),
        ("allowed_signers", (), "hosts.allowed_signers"),
    ],
)
def test_what_is_replicated_lies_under_the_host_that_writes_it(
    method: str, names: tuple[str, ...], place: str
) -> None:
    assert getattr(Layout("/srv/catalog", "h1"), method)(*names) == place


@pytest.mark.parametrize(
    ("method", "names", "place"),
    [
        ("node", (), "node"),
        ("local_settings", (), "settings"),
        ("cache", (), "cache"),
        ("log", (), "log"),
        ("hook_log", (), "hooks"),
        ("materialize_lock", (), "materialize"),
        ("repository", (), "repository"),
        ("collected", (), "collected"),
        ("collected", ("h2",), "collected/h2"),
        ("heard", (), "heard"),
        ("heard", ("h2",), "heard/h2"),
        ("polled", (), "polled"),
        ("published", (), "published"),
        ("latest", (), "latest"),
        ("publisher_lock", (), "publisher"),
        ("watching_lock", (), "watching"),
        ("lock", ("w",), "lock/w"),
        ("owner_lock", ("w",), "owner/w"),
        ("process_folder", (), "process"),
        ("process", ("w",), "process/w"),
        ("local", ("anything",), "anything"),
    ],
)
def test_what_is_this_hosts_alone_lies_in_its_own_hidden_folder(
    method: str, names: tuple[str, ...], place: str
) -> None:
    here = Layout("/srv/catalog", "h1")
    assert getattr(here, method)(*names) == f".st2/h1/{place}"
    assert here.local() == ".st2/h1"


def test_a_path_is_made_absolute_by_the_root_alone() -> None:
    here = Layout("/srv/catalog", "h1")
    assert here.absolute("agents/h1") == "/srv/catalog/agents/h1"
    assert here.absolute("") == "/srv/catalog"
