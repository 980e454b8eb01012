"""Makes the environment of the pipecat arm from its own locked file. Sori itself does not depend on pipecat."""

import hashlib
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LOCK = FOLDER / "requirements.txt"
PLACE = FOLDER.parents[2] / "build" / "pipecat"


def pipecat_python() -> Path:
    """The Python of the environment, which is made anew if the lock has changed.

    Raises:
        subprocess.CalledProcessError: the packages cannot be installed; pip has told why.
    """
    python = PLACE / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    note = PLACE / "installed"
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if not note.exists() or note.read_text() != wanted:
        print(f"making {PLACE} for pipecat; this takes a minute", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(PLACE)], check=True)
        install = ["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", str(LOCK)]
        subprocess.run([str(python), *install], check=True, stdout=sys.stderr)
        note.write_text(wanted)
    return python
