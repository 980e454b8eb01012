"""Saves the source archive of a package without running any code of the package.

``pip download`` runs the package's build system before it saves an archive. This command is pip's own with all of the
user's configuration (an index, a mirror, a proxy, certificates, passwords), up to the point where the archive is found.
The archive is then saved unchanged. It runs in a separate process because pip's state is global to its process.

It uses private parts of pip. If a later pip has changed them, the process fails and the next source is tried.
"""

import importlib
import sys
from pathlib import Path
from typing import Any, Final

_CHUNK: Final = 1 << 16
_SUFFIX: Final = ".tar.gz"
_FAILED: Final = 1
_MAKE_FINDER: Final = "_build_package_finder"
"""pip's method that handles indexes, mirrors and folders."""


def main(name: str, version: str, folder: Path, options: list[str]) -> int:
    """Save the archive of one version into ``folder``; returns pip's exit status."""
    download: Any = importlib.import_module("pip._internal.commands.download").DownloadCommand

    def save(command: Any, settings: Any, _arguments: list[str]) -> int:
        session = command.get_default_session(settings)
        # The archive is not installed, so its required Python version does not matter.
        make_finder = getattr(command, _MAKE_FINDER)
        finder = make_finder(options=settings, session=session, ignore_requires_python=True)
        links = [each.link for each in finder.find_all_candidates(name) if str(each.version) == version]
        for link in links:
            if link.filename.endswith(_SUFFIX):
                _save(session, link, folder)
                return 0
        sys.stderr.write(f"ERROR: No matching distribution found for {name}=={version}\n")
        return _FAILED

    command: Any = type("SavingCommand", (download,), {"run": save})("download", "Save an archive")
    status: int = command.main(["--no-binary=:all:", *options])
    return status


def _save(session: Any, link: Any, folder: Path) -> None:
    # Without this header a server may compress the archive again.
    response = session.get(link.url_without_fragment, headers={"Accept-Encoding": "identity"}, stream=True)
    response.raise_for_status()
    with (folder / link.filename).open("wb") as stream:
        while chunk := response.raw.read(_CHUNK):
            stream.write(chunk)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:]))
