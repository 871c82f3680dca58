"""The one thing that st2 writes into somebody else's repository: settings of a name of its own.

git takes a merge driver from the configuration of each clone and from nowhere else, so that no
repository can bring a program along. A person asks for it, in each clone.
"""

from __future__ import annotations

from catalog.sync_errors import SyncFailed
from catalog.system.git import LIMIT_S, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def setting(folder: str, name: str) -> str | None:
    """Return a setting of the repository that *folder* lies in; None where it has none.

    Raises SyncFailed where git does not tell.
    """
    ran = run_git(("-C", folder), ("config", "--local", "-z", "--get", name), limit_s=LIMIT_S)
    if ran.code == 1:
        return None
    if ran.code != 0:
        raise SyncFailed("git config", f"{ran.words}, wanted {name} of {folder}")
    return ran.out.decode("utf-8", "surrogateescape").removesuffix("\0")


def configure(folder: str, settings: Mapping[str, str]) -> bool:
    """Set *settings* in the repository that *folder* lies in; say whether any was another.

    Safe to repeat. Raises SyncFailed where git does not take them.
    """
    wrong = {name: value for name, value in settings.items() if setting(folder, name) != value}
    for name, value in wrong.items():
        args = ("config", "--local", "--replace-all", name, value)
        ran = run_git(("-C", folder), args, limit_s=LIMIT_S)
        if ran.code != 0:
            raise SyncFailed("git config", f"{ran.words}, wanted {name} set in {folder}")
    return bool(wrong)
