"""``st2 driver list``: the harnesses as text, and as the stable machine form."""

from __future__ import annotations

from catalog.json_text import dumps
from drivers.listing import harnesses
from st2.out import emit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drivers.driver import Settings
    from drivers.listing import Harness

_ACTIVITY = {
    "hooks": "hooks that are rendered into the workspace",
    "transcript": "the growth of its transcript, which the session's owner looks at",
    "user-hooks": "hooks, once the lines below stand in the user's own settings",
    None: "none",
}


def run(*, as_json: bool) -> int:
    """Serve the command."""
    found = harnesses()
    if as_json:
        emit(dumps([_told(each) for each in found]) + "\n")
    else:
        emit("\n".join(_text(each) for each in found))
    return 0


def _told(harness: Harness) -> dict[str, object]:
    about = harness.about
    return {
        "name": harness.name,
        "verb": harness.verb,
        "fields": [
            {"name": field.name, "kind": field.kind, "required": field.required}
            for field in harness.fields
        ],
        "activity": about.activity,
        "tested": about.tested,
        "renders": list(harness.renders),
        "settings": about.settings and _settings(about.settings),
    }


def _settings(settings: Settings) -> dict[str, object]:
    return {"file": settings.file, "lines": list(settings.lines)}


def _text(harness: Harness) -> str:
    about = harness.about
    names = [f"{field.name}{'!' if field.required else ''}" for field in harness.fields]
    lines = [
        harness.name,
        f"  fields    {' '.join(names)}",
        f"  verb      {harness.verb}",
        f"  activity  {_ACTIVITY[about.activity]}",
        f"  tested    {about.tested or 'any version'}",
        f"  renders   {', '.join(harness.renders) or 'nothing'}",
    ]
    if about.settings is not None:
        lines.append(f"  yours     to put into {about.settings.file}, if you like:")
        lines += [f"    {line}" for line in about.settings.lines]
    return "\n".join(lines) + "\n"
