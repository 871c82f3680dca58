"""What ``st2 init --remote`` does with a remote: make it where it is free, try what it takes."""

from __future__ import annotations

import secrets

from catalog.sync import afar, bare
from catalog.sync.fetched import listed
from catalog.sync.probe import Probed, probe
from catalog.sync.remote import Remote
from catalog.sync.settings import choose_remote
from catalog.sync.shape import BRANCH_PREFIX, CHAIN, HOSTED_HOSTS, HOSTED_PUSH_MS, REFS
from catalog.sync_errors import SyncFailed
from catalog.system.git import Ran
from catalog.system.machine import machine_id
from st2.context import Context
from st2.out import plain, say, warn
from st2.serve.connect import connect

_MISSING = ("does not appear to be a git repository", "No such file or directory")


def choose(context: Context, remote: Remote) -> None:
    """Make the remote where its place is free, try it, and keep it as this host's own choice.

    Raises RemoteRefused or SyncFailed, nothing kept, where it cannot be used.
    """
    prepared = _prepared(context, remote)
    if prepared.made:
        _say_commands(remote, prepared)
    found = Probed(REFS) if prepared.made else _probe(context, remote)
    choose_remote(context.files, context.layout, machine_id(), remote.address, found.shape)
    if not prepared.made and prepared.commands:
        _say_commands(remote, prepared)
    if remote.path is None and not prepared.made:
        _say_limit()
    if found.shape is not REFS:
        _say_shape(found)
    for ref in found.left:
        warn(f"{ref} cannot be deleted at the remote, which says: {found.words}")


def _prepared(context: Context, remote: Remote) -> bare.Prepared:
    """Make a bare repository where there is none; return what is for its keeper to do."""
    place = afar.place_of(remote)
    if place is None:
        return bare.prepare(remote)
    answer = _ask(context, remote)
    missing = isinstance(answer, Ran) and any(words in answer.words for words in _MISSING)
    made = missing and _make_afar(context, remote, place)
    return bare.prepared(place.path, made=made)


def _ask(context: Context, remote: Remote) -> dict[str, str] | Ran:
    exchange = connect(context, remote, shape=REFS)
    return listed(exchange.trial, remote, exchange.ref)


def _make_afar(context: Context, remote: Remote, place: afar.Place) -> bool:
    exchange = connect(context, remote, shape=REFS)
    ran = afar.make(place, exchange.trial.git.ssh or "ssh")
    if ran.code == 0:
        return True
    for command in bare.by_hand(place.path):
        say(f"  {plain(command)}")
    sentence = f"is not there and could not be made: {ran.words}"
    raise SyncFailed(f"remote {remote.shown}", sentence, "make it there with the commands above")


def _probe(context: Context, remote: Remote) -> Probed:
    exchange = connect(context, remote, shape=REFS)
    return probe(exchange, token=secrets.token_hex(4), at_ms=context.clock.now_ms())


def _say_commands(remote: Remote, prepared: bare.Prepared) -> None:
    state = "made a bare repository" if prepared.made else "used as it is"
    say(f"remote {plain(remote.shown)}: {state}; for whoever keeps it:")
    for command in prepared.commands:
        say(f"  {plain(command)}")


def _say_limit() -> None:
    pace_s = HOSTED_PUSH_MS // 1000
    say(
        f"a hosted server takes about {60 // pace_s} pushes a minute for one repository: there, let"
        f" each host publish every {pace_s} s x hosts at most, which is enough for"
        f" {HOSTED_HOSTS} hosts"
    )


def _say_shape(found: Probed) -> None:
    for prefix, words in found.refused:
        say(f"it takes nothing under {prefix} that can be replaced: {plain(words)}")
    say(f"presence lies under {BRANCH_PREFIX} there")
    if found.shape is CHAIN:
        say(
            "it lets no branch be replaced: every publish adds a commit, and its history grows"
            " for ever; a repository of your own does not grow"
        )
