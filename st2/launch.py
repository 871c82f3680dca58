"""What the launch of a declaration is on this machine."""

from __future__ import annotations

from drivers.binding import Machine, bind
from drivers.expand import expand, facts_of
from st2.context import executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from catalog.declaration import Declaration
    from drivers.driver import Expansion
    from st2.context import Context


def machine_of(context: Context) -> Machine:
    """Return where the program that runs and the catalog in use are."""
    return Machine(program=executable(), catalog=context.layout.root)


def launch_of(context: Context, declaration: Declaration) -> Expansion:
    """Return what is run and what is rendered; raises as :func:`drivers.expand.expand` does."""
    return bind(expand(declaration, facts_of(declaration)), machine_of(context))
