"""Saves the source archive of a package, and does nothing else with it: no code of the package runs.

``pip download`` asks the package's own build system about an archive before it saves it. This command is pip's own,
with all that the user has configured (an index, a mirror, a proxy, certificates, passwords), up to where the archive is
found; then it is saved as it comes. Run as a process of its own: pip's state is one a process.

It uses what pip keeps for itself. Where a later pip has changed that, the process fails and the next source is tried.
"""

import importlib
import sys
from pathlib import Path
from typing import Any, Final

_CHUNK: Final = 1 << 16
_SUFFIX: Final = ".tar.gz"
_FAILED: Final = 1
_MAKE_FINDER: Final = "_build_package_finder"
"""pip's method that knows of indexes, mirrors and folders."""


def main(name: str, version: str, folder: Path, options: list[str]) -> int:
    """Save the archive of one version into ``folder``; returns pip's exit status."""
    command: Any = importlib.import_module("pip._internal.commands").create_command("download")

    def save(settings: Any, _arguments: list[str]) -> int:
        session = command.get_default_session(settings)
        # The archive is not installed, so it does not matter which Python it is for.
        make_finder = getattr(command, _MAKE_FINDER)
        finder = make_finder(options=settings, session=session, ignore_requires_python=True)
        links = [each.link for each in finder.find_all_candidates(name) if str(each.version) == version]
        for link in links:
            if link.filename.endswith(_SUFFIX):
                _save(session, link, folder)
                return 0
        sys.stderr.write(f"ERROR: No matching distribution found for {name}=={version}\n")
        return _FAILED

    command.run = save
    status: int = command.main(["--no-binary=:all:", *options])
    return status


def _save(session: Any, link: Any, folder: Path) -> None:
    # Without this header a server may pack the archive once more.
    response = session.get(link.url_without_fragment, headers={"Accept-Encoding": "identity"}, stream=True)
    response.raise_for_status()
    with (folder / link.filename).open("wb") as stream:
        while chunk := response.raw.read(_CHUNK):
            stream.write(chunk)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:]))
