"""A declaration in its three spellings, from the bytes to a row, a launch and what it renders."""

from __future__ import annotations

import json

from catalog import json_text
from catalog.declaration import Declaration, declared, parse
from catalog.declaration_errors import BadDeclaration, CannotExpand
from catalog.declared import Broken, from_json, to_json
from catalog.plain import facts
from drivers import formats
from drivers.binding import Machine, bind
from drivers.driver import Expansion
from drivers.expand import expand, facts_of
from drivers.render import Standing, plan, target_of
from fuzz.told import check_escaped, check_plain, headed

SPELLINGS = ("kdl", "toml", "json")
MACHINE = Machine(program="/opt/st2", catalog="/srv/catalog")
REACHED = frozenset(
    f"{spelling} {word}"
    for spelling in SPELLINGS
    for word in ("broken", "placed", "fault", "launch", "render", "resources", "refused", "plan")
) | {"kdl plain"}
DEEP = b".".join([b"a"] * 300)
GROWING = {
    "kdl agents": lambda size: b"kdl\n" + b'agent "a"\n' * size,
    "kdl nesting": lambda size: b"kdl\nagent {host 5;" + b"a {" * size + b"}" * size + b"}",
    "kdl faults": lambda size: b"kdl\nagent {" + b"resource 5\n" * size + b"}",
    "kdl comments": lambda size: b"kdl\n" + b"/*" * size,
    "kdl slashdash": lambda size: b"kdl\nagent {host 5;" + b"/- a;" * size + b"}",
    "kdl quotes": lambda size: b'kdl\nagent {host 5;a #"' + b'"' * size + b'"#}',
    "kdl values": lambda size: b"kdl\nagent {host 5;argv" + b' "a"' * size + b"}",
    "kdl hex": lambda size: b"kdl\nagent {" + b"a 0x" + b"f" * size + b"}",
    "toml tables": lambda size: b"toml\n" + b"[[resource]]\nname = 5\n" * size,
    "toml dots": lambda size: b"toml\n" + b"a." * (4 * size) + b"b = 1",
    "toml members below dots": lambda size: (
        b"toml\n[" + DEEP + b"]\n" + b"".join(b"b%d = 1\n" % n for n in range(size))
    ),
    "toml deep members": lambda size: (
        b"toml\n" + b"".join(DEEP + b".b%d = 1\n" % n for n in range(size // 10))
    ),
    "toml nesting": lambda size: b"toml\na = " + b"[" * size + b"]" * size,
    "toml lines of a text": lambda size: b'toml\nname = 5\na = """' + b"\\\n" * size + b'"""',
    "json nesting": lambda size: b'json\n{"host": 5, "a": ' + b"[" * size + b"]" * size + b"}",
    "json members": lambda size: b"json\n{" + b'"host": 5,' * size + b'"a": 1}',
    "json items": lambda size: b'json\n{"argv": [' + b"1," * size + b"1]}",
    "json entries": lambda size: b'json\n{"argv": "a", "render": [' + b"{}," * size + b"{}]}",
}


def check(data: bytes) -> set[str]:
    """Parse, remember, print, expand, write out in each format, plan."""
    spelling, raw = headed(data, SPELLINGS)
    found = parse(
        raw, path=f"agent.{spelling}", folder_host="h1", folder_agent="worker", this_host="h1"
    )
    reached = {"broken"} if isinstance(found, Broken) else set()
    for finding in found.findings:
        check_escaped(finding.message, finding.hint)
        if finding.line is not None:
            lines = raw.decode("utf-8", "replace").replace("\r\n", "\n")
            assert 1 <= finding.line <= 1 + sum(lines.count(each) for each in BREAKS)
            reached.add("placed")
    row = declared(found)
    assert from_json(json_text.loads(json_text.dumps(to_json(row)).encode()), row.path) == row
    told = facts(raw) if spelling == "kdl" else None
    if told is not None:
        assert isinstance(found, Declaration)
        assert (told.agent, told.host or "h1") == (found.agent, found.host) and found.running
        reached.add("plain")
    if isinstance(found, Declaration):
        reached |= {"resources"} if found.resources else set()
        reached |= _launch(found)
    return {f"{spelling} {word}" for word in reached}


BREAKS = "\n\r\f\v\x85\u2028\u2029"


def _launch(found: Declaration) -> set[str]:
    try:
        launch = expand(found, facts_of(found))
    except (BadDeclaration, CannotExpand) as error:
        check_escaped(str(error), error.hint)
        return {"fault" if found.launch_error else "refused"}
    text = formats.to_kdl(launch)
    check_plain(text, formats.to_shell(launch), formats.to_json(launch))
    again = parse(
        b'agent "worker" {\n host "h1"\n' + text.encode() + b"}",
        path="agent.kdl",
        folder_host="h1",
        folder_agent="worker",
        this_host="h1",
    )
    assert isinstance(again, Declaration)
    if not again.findings:  # what one launch holds may be longer than a file may be
        assert expand(again, facts_of(again)) == launch
    assert json.loads(formats.to_json(launch))["argv"] == list(launch.argv)
    assert formats.to_argv(launch).split(b"\0")[:-1] == [word.encode() for word in launch.argv]
    bound = bind(launch, MACHINE)
    assert len(bound.argv) == len(launch.argv)
    return {"launch", *(("render",) if launch.render else ()), *_planned(bound)}


def _planned(launch: Expansion) -> set[str]:
    """Plan over an empty workspace; once that is done there is nothing left to do."""
    renders = launch.render
    targets = {target_of(each): None for each in renders}
    sources = {each.value: b"copied" for each in renders if isinstance(each.value, str)}
    first = plan(renders, Standing(contents=targets, sources=sources))
    for refusal in first.refusals:
        check_escaped(refusal.path, refusal.sentence)
    if not first.actions or first.refusals:
        return set()
    done = {**targets, **{each.target: each.data for each in first.actions}}
    second = plan(renders, Standing(contents=done, sources=sources))
    twice = {target_of(each) for each in renders if each.op in ("file", "copy")}
    assert not second.refusals
    assert {each.target for each in second.actions} <= twice
    return {"plan"}
