"""Who wrote what, in which order, and whether what a reader reads may be true."""

from __future__ import annotations

from catalog.sync import held
from sync.model.place import Place

Key = tuple[str, str, str, str]


def node_of(reader: Place, host: str) -> str:
    """Return the node whose records a reader has, by what it holds, else by the host's beat."""
    beat = reader.root / reader.layout.host_beat(host)
    told = beat.read_text().partition("\n")[0] if beat.exists() else ""
    return held.load(reader.files, reader.layout, host).node or told


class Witness:
    """Keeps every state that an owner has written, and the newest that each reader has read."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        self.written: dict[str, dict[str, list[bytes | None]]] = {p.name: {} for p in places}
        self.read: dict[Key, int] = {}
        self.forgotten: set[str] = set()

    def looks_at(self, place: Place) -> None:
        """Note what a place has written of its own agents."""
        now, before = place.records(place.host), self.written[place.name]
        for path in now.keys() | before.keys():
            states = before.setdefault(path, [None])
            if states[-1] != now.get(path):
                states.append(now.get(path))

    def reads(self, reader: Place) -> None:
        """Check everything that one reader has of the others. Cheap enough for every step."""
        for host in {place.host for place in self.places} - {reader.host}:
            node = node_of(reader, host)
            writers = [place for place in self.places if place.host == host]
            found = reader.records(host)
            for path, raw in found.items():
                known = [raw in self.written[writer.name].get(path, []) for writer in writers]
                assert any(known), f"{reader.name} read of {host} {path} what nobody wrote: {raw!r}"
            for writer in writers:
                if node in writer.nodes:
                    self._goes_forward(reader, node, writer, found)

    def _goes_forward(
        self, reader: Place, node: str, writer: Place, found: dict[str, bytes]
    ) -> None:
        """Check that nothing is older than what the same reader has read of the same node."""
        for path, states in self.written[writer.name].items():
            key = (reader.name, writer.host, node, path)
            raw, last = found.get(path), self.read.get(key, 0)
            if raw not in states:
                continue  # another node of that name wrote it
            if raw is None and writer.host in self.forgotten:
                continue
            later = [at for at, state in enumerate(states) if at >= last and state == raw]
            assert later, f"{reader.name} read {path} of {writer.name} as it was before: {raw!r}"
            self.read[key] = later[0]
