"""What hooks left that failed or were refused: which one, why, how often, when last."""

from __future__ import annotations

from catalog.finding import Finding
from catalog.system.files import Files
from drivers.hook_trace import FALLBACK, failures
from st2.context import Context, state_folder

_HINT = "mend it, then remove this file; the harness went on without the hook"


def hooks(context: Context) -> list[Finding]:
    """Find the traces of hooks: with the catalog, and where it could not take them."""
    own = context.layout.hook_log()
    places = [(context.files, own, own)]
    folder = state_folder(context.environ)
    if folder is not None:
        places.append((Files(folder), FALLBACK, f"{folder}/{FALLBACK}"))
    found = []
    for files, path, shown in places:
        for each in failures(files, path):
            times = "once" if each.count == 1 else f"{each.count} times"
            sentence = f"hook {each.hook} of {each.identity}: {each.why}; {times}, last {each.last}"
            found.append(Finding("hook-failed", sentence, shown, _HINT))
    return found
