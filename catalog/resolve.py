"""A name that a person typed to exactly one agent, and what its declaration says about running.

Light: declarations of the plain form are understood without a KDL parser.
"""

from __future__ import annotations

from catalog.names import bus_id, check_agent, is_conflict_copy, split_bus_id
from catalog.seen import Content
from catalog.system.folders import Folder
from catalog.windows import DECLARATION_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalog.declaration import Declaration
    from catalog.plain import PlainFacts
    from catalog.reader import Reader
    from catalog.roster import Entry
    from catalog.survey import Place, Survey

Key = tuple[str, str]

_NO_AGENT = "no such agent in this catalog, wanted a bus id or a bare name"


def resolve(reader: Reader, text: str) -> Key:
    """Return (host, agent) of the one agent that *text* names: a bus id, else a bare name.

    Raises BadName, NotFound, Ambiguous.
    """
    check_agent(text)
    exact = split_bus_id(text)
    if exact is not None and _is_certain(reader, *exact):
        return exact
    from catalog.survey import survey

    found = survey(reader.files, reader.layout, records=False)
    here = reader.layout.host
    keys = _keys(found, {text} if exact is None else {text, exact[1]}, here)
    match = _match(keys, text)
    if match is not None:
        return match
    from catalog.near import near
    from catalog.refusals import NotFound

    names = near(_typed(text), (each.agent for each in found.places if each.agent is not None))
    hint = _meant(text, names, _keys(found, set(names), here))
    if keys or all(each.code != "unreadable" for each in found.findings):
        raise NotFound(text, _NO_AGENT, hint)
    unread = "; ".join(f"{each.path}: {each.message}" for each in found.findings[:3])
    sentence = f"no such agent in what can be read, wanted all of the catalog ({unread})"
    raise NotFound(text, sentence, hint)


def one_of(keys: Iterable[Key], text: str) -> Key:
    """Return the one of *keys* that *text* names: a bus id wins, else exactly one bare name."""
    known = set(keys)
    match = _match(known, text)
    if match is not None:
        return match
    from catalog.near import near
    from catalog.refusals import NotFound

    names = near(_typed(text), (agent for _, agent in known))
    hint = _meant(text, names, known)
    raise NotFound(text, _NO_AGENT, hint)


def _match(known: set[Key], text: str) -> Key | None:
    exact = split_bus_id(text)
    if exact is not None and exact in known:
        return exact
    matches = sorted(key for key in known if key[1] == text)
    if len(matches) > 1:
        from catalog.refusals import Ambiguous

        names = ", ".join(bus_id(*key) for key in matches)
        raise Ambiguous(text, f"found {names}, wanted exactly one")
    return matches[0] if matches else None


def _typed(text: str) -> str:
    """Return the agent of what was typed: its host may be as wrong."""
    exact = split_bus_id(text)
    return text if exact is None else exact[1]


def _meant(text: str, names: list[str], known: Iterable[Key]) -> str | None:
    """Return the hint about agents that are called much like *text*: of its own host at first."""
    from catalog.near import MOST, meant
    from catalog.refusals import NotFound

    exact = split_bus_id(text)
    host = None if exact is None else exact[0]
    keys = [key for key in known if key[1] in names]
    keys.sort(key=lambda key: (names.index(key[1]), key[0] != host, key))
    meaning = [bus_id(*key) for key in keys[:MOST]]
    return f"{meant(meaning)}; {NotFound.hint}" if meaning else None


def resolve_here(reader: Reader, text: str) -> str:
    """Return the agent that *text* names, which has to be one of this host's."""
    host, agent = resolve(reader, text)
    if host != reader.layout.host:
        from catalog.refusals import ForeignHost

        here = reader.layout.host
        raise ForeignHost(bus_id(host, agent), f"an agent of {host}, wanted one of {here}")
    return agent


def require_running(reader: Reader, agent: str) -> None:
    """Raise NotDeclared or NotRunning unless this host's *agent* is declared to run."""
    here = reader.layout.host
    facts = _plain_facts(reader, here, agent)
    if facts is None or (facts.host or here, facts.agent) != (here, agent):
        refuse_unless_running(declaration_of(reader, agent))


def refuse_unless_running(declaration: Declaration) -> None:
    """Raise NotRunning unless *declaration* says that its agent is to run."""
    if declaration.running:
        return
    from catalog.declaration_errors import NotRunning

    state = declaration.desired_state or "a state that is none of ours"
    reason = declaration.desired_state_reason
    found = f"declared {state}" + (f" ({reason})" if reason else "")
    raise NotRunning(declaration.identity, f"{found}, wanted running", f"see {declaration.path}")


def declaration_of(reader: Reader, agent: str) -> Declaration:
    """Return the one declaration of this host's *agent*, as :func:`declared` does."""
    return declared(reader, reader.layout.host, agent)


def declared(reader: Reader, host: str, agent: str) -> Declaration:
    """Return the one declaration of an agent; raises NotDeclared, Ambiguous, BadDeclaration."""
    from catalog.declaration_cache import DeclarationCache
    from catalog.roster import gather
    from catalog.survey import survey

    here = reader.layout.host
    found = survey(reader.files, reader.layout, records=False)
    cache = DeclarationCache(reader.files, reader.layout)
    entry = gather(found, cache, this_host=here).get((host, agent))
    identity = bus_id(host, agent)
    if entry is None or not (entry.declarations or entry.broken):
        from catalog.declaration_errors import NotDeclared

        path = reader.layout.record(host, agent, "agent.kdl")
        raise NotDeclared(identity, "no declaration, wanted one", f"write {path}")
    refuse_unless_one(entry, identity)
    return the_declaration(found, entry, this_host=here)


def the_declaration(found: Survey, entry: Entry, *, this_host: str) -> Declaration:
    """Read the one declaration of an entry of *found* as a whole."""
    from catalog.declaration import Declaration, declaration_at

    [declared] = entry.declarations
    [place] = [each for each in found.places if each.file == declared.path]
    declaration = declaration_at(place, this_host=this_host)
    assert isinstance(declaration, Declaration), "a sound entry is of a sound declaration"
    return declaration


def refuse_unless_one(entry: Entry, identity: str) -> None:
    """Raise Ambiguous where several declare an agent, BadDeclaration where none can be used."""
    if len(entry.declarations) > 1:
        from catalog.refusals import Ambiguous

        paths = ", ".join(declaration.path for declaration in entry.declarations)
        hint = "keep one of them"
        raise Ambiguous(identity, f"declared at {paths}, wanted exactly one", hint)
    if entry.declarations or not entry.broken:
        return
    from catalog.declaration_errors import BadDeclaration

    first = entry.broken[0].findings[0]
    line, column = first.line, first.column
    path = first.path or identity
    raise BadDeclaration(path, first.message, first.hint, line=line, column=column)


def _is_certain(reader: Reader, host: str, agent: str) -> bool:
    """Say whether the agent's own folder alone shows that it has a row, as a survey would."""
    folder = reader.files.folder(reader.layout.agent_folder(host, agent))
    if is_conflict_copy(agent) or not isinstance(folder, Folder):
        return False
    with folder:
        if not {"status", "session.json"}.isdisjoint(folder.names()):
            return True
    facts = _plain_facts(reader, host, agent)
    return facts is not None and (facts.host or host, facts.agent) == (host, agent)


def _plain_facts(reader: Reader, host: str, agent: str) -> PlainFacts | None:
    from catalog import plain

    path = reader.layout.record(host, agent, "agent.kdl")
    found = reader.files.read(path, DECLARATION_BYTES)
    return plain.facts(found.raw) if isinstance(found, Content) else None


def _keys(found: Survey, agents: set[str], here: str) -> set[Key]:
    """Return the keys of the rows whose agent is one of *agents*, as the roster has them."""
    keys: set[Key] = set()
    for place in found.places:
        if place.recorded and place.host is not None and place.agent is not None:
            keys.add((place.host, place.agent))
        if _may_declare(place, agents):
            declared = _declared_key(place, here)
            if declared is not None:
                keys.add(declared)
    return {key for key in keys if key[1] in agents}


def _may_declare(place: Place, agents: set[str]) -> bool:
    """Say whether a declaration can be about one of *agents*: its folder or its bytes say so.

    An escape could spell a name in other bytes.
    """
    if place.agent in agents:
        return True
    raw = place.declaration.raw if isinstance(place.declaration, Content) else b""
    return b"\\" in raw or any(agent.encode() in raw for agent in agents)


def _declared_key(place: Place, here: str) -> Key | None:
    from catalog import plain

    if place.file is None:
        return None
    raw = place.declaration.raw if isinstance(place.declaration, Content) else b""
    facts = plain.facts(raw) if place.file.endswith(".kdl") else None
    if facts is not None:
        return facts.host or place.host or here, facts.agent
    from catalog.declaration import Declaration, declaration_at

    declaration = declaration_at(place, this_host=here)
    if isinstance(declaration, Declaration):
        return declaration.host, declaration.agent
    return (place.host or here, place.agent) if place.agent is not None else None
