"""``sori desktop``: puts Sori into the menu of the desktop, or takes it out."""

import sys

from assistant.core.texts import Texts
from assistant.host.menu_entry import add_to_menu, menu_files, remove_from_menu
from assistant.host.places import start_command


def run(texts: Texts, action: str) -> int:
    """Add or remove the entry, and say where it is.

    Returns:
        Exit status: 1 on a system whose menu is not made of such files.

    Raises:
        StorageError: a file cannot be written or removed.
    """
    if not sys.platform.startswith("linux"):
        sys.stderr.write(f"{texts('cli.desktop.elsewhere')}\n")
        return 1
    files = menu_files(start_command())
    entry = next(iter(files))
    if action == "install":
        add_to_menu(files)
        print(texts("cli.desktop.added", path=entry))
    else:
        print(texts("cli.desktop.removed" if remove_from_menu(files) else "cli.desktop.not_there"))
    return 0
