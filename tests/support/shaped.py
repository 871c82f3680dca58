"""Hosts that know how their remote takes presence, and remotes that take it in few ways."""

from __future__ import annotations

from catalog.sync.shape import Shape
from support.fleet import Fleet, Member


def in_shape(member: Member, shape: Shape) -> Member:
    """The host, once it knows how the remote takes presence."""
    member.site.exchange.shape = shape
    return member


def refs(fleet: Fleet) -> list[str]:
    """Every ref of the remote."""
    return fleet.git("for-each-ref", "--format=%(refname)").splitlines()


def no_deletes(fleet: Fleet) -> None:
    """A server that lets no branch be deleted."""
    fleet.git("config", "receive.denyDeletes", "true")
