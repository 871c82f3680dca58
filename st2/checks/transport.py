"""What carries a catalog without st2 sync: what git or Syncthing would change, leave or take."""

from __future__ import annotations

from shlex import split
from shutil import which

from catalog.finding import Finding
from catalog.layout import RECORDS
from catalog.setup import BRANCH, DRIVER, REFS, STIGNORE, missing_for_syncthing, presence_of
from catalog.sync_errors import SyncFailed
from catalog.system.clone import setting
from catalog.system.work_tree import WorkTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from st2.context import Context

_ANY = "a"
"""The name of an agent: what git does to the records of one it does to those of all."""

_ATTRIBUTES, _IGNORED = ".gitattributes", ".gitignore"
_MARK = ".stfolder"
_SET_UP = "st2 init in this clone sets it up"
_LAST = "move the lines of st2 init to the end of the file, or mend what is named"


def transport(context: Context) -> list[Finding]:
    """Find what a transport would do that the catalog does not mean. Asks, changes nothing."""
    return [*_syncthing(context), *_git(context)]


def _syncthing(context: Context) -> list[Finding]:
    """Look for what Syncthing leaves in a folder that it shares, and for what keeps it off .st2."""
    root = context.files.scan(".")
    shared = isinstance(root, list) and any(name == _MARK for name, _ in root)
    lines = missing_for_syncthing(context.files) if shared else []
    if not lines:
        return []
    sentence = f"Syncthing shares this folder, wanted the lines {', '.join(lines)}"
    hint = "st2 init adds them, on each host: Syncthing does not carry this file"
    return [Finding("stignore", sentence, STIGNORE, hint)]


def _git(context: Context) -> list[Finding]:
    presence = presence_of(context.files)
    tree = WorkTree(context.layout.root)
    if presence is None or not tree.is_there():
        return []
    layout = context.layout
    records = [layout.record(layout.host, _ANY, name) for name in RECORDS]
    wanted = {"text": "unset"} | ({"merge": DRIVER} if presence == BRANCH else {})
    try:
        found = _attributes(tree, records, wanted)
        if presence == REFS:
            return found + _tracked(context, tree)
        return [*found, *_ignored(tree, records), *_driver(context)]
    except SyncFailed as error:
        hint = "let git work in this folder; st2 init needs it too"
        return [Finding("repository", str(error), ".", hint)] if presence == BRANCH else []


def _attributes(tree: WorkTree, records: list[str], wanted: dict[str, str]) -> list[Finding]:
    told = tree.attributes(records, tuple(wanted))
    wrong = [f"{name}: {value}" for (_, name), value in told.items() if value != wanted[name]]
    if not wrong:
        return []
    asked = ", ".join(f"{name}: {value}" for name, value in wanted.items())
    sentence = f"git holds {wrong[0]} of {len(wrong)} records, wanted {asked}"
    return [Finding("attributes", sentence, _ATTRIBUTES, _LAST)]


def _ignored(tree: WorkTree, records: list[str]) -> list[Finding]:
    hint = "take that line out, or st2 init --presence refs"
    return [
        Finding("ignored", f"git ignores {path} by {line}, wanted it on the branch", _IGNORED, hint)
        for path, line in tree.ignored(records).items()
    ]


def _driver(context: Context) -> list[Finding]:
    command = setting(context.layout.root, f"merge.{DRIVER}.driver")
    if command is None:
        sentence = "this clone has no merge driver for records, wanted st2 merge-record"
        return [Finding("merge-driver", sentence, _ATTRIBUTES, _SET_UP)]
    try:
        program = split(command)[0].replace("%%", "%")
    except (ValueError, IndexError):
        program = command
    if which(program) is None:
        sentence = f"the merge driver of this clone is {program}, which is no program here"
        return [Finding("merge-driver", sentence, _ATTRIBUTES, _SET_UP)]
    return []


def _tracked(context: Context, tree: WorkTree) -> list[Finding]:
    """Find records of this host that git tracks: each host has to let go of its own."""
    layout = context.layout
    listed = tree.tracked([layout.host_folder(layout.host)])
    tracked = sorted(path for path in listed if _is_record(path))
    if not tracked:
        return []
    sentence = f"git tracks {len(tracked)} records of this host, which st2 sync carries"
    hint = f"git rm --cached {tracked[0]}, and so on; or st2 init --presence branch"
    return [Finding("tracked", sentence, layout.host_folder(layout.host), hint)]


def _is_record(path: str) -> bool:
    parts = path.split("/")
    return len(parts) == 4 and parts[-1] in RECORDS
