#!/usr/bin/env python3
"""Makes a folder that runs Sori on a computer without Python: ``python packaging/bundle.py dist/Sori``.

The folder holds a copy of the Python that runs this script, the locked packages and Sori's wheel. Sori starts processes
of its own with this Python, and pip fetches weights with it, which a frozen program cannot do. See
docs/decisions/packaging.md. Python has to be movable: on Linux any, on Windows the one of its installer, on macOS a
standalone build such as that of ``uv python install``.
"""

import argparse
import compileall
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
NOT_NEEDED = (
    *(
        "__pycache__",
        "site-packages",
        "test",
        "tests",
        "idlelib",
        "idle_test",
        "tkinter",
        "_tkinter*",
        "turtledemo",
        "lib2to3",
    ),
    *("config-*", "*.a", "*.lib", "include", "Include", "share", "Doc", "tcl", "Tools", "EXTERNALLY-MANAGED"),
)
LAUNCHER = """#!/bin/sh
# Starts Sori with the Python beside this file, wherever the folder and links to it are.
here=$(dirname "$(readlink -f "$0")")
exec "$here/python/bin/python3" -P -m assistant.app.start "$@"
"""


def main() -> None:
    """Make the folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="made anew")
    folder = parser.parse_args().folder.resolve()
    if folder.exists():
        shutil.rmtree(folder)
    python = copy_python(folder / "python")
    install(python)
    write_launchers(folder)
    compileall.compile_dir(folder / "python", quiet=2, workers=0)
    subprocess.run([python, "-P", "-m", "assistant.app.start", "--version"], check=True, cwd=folder)


def copy_python(target: Path) -> Path:
    """Copy the interpreter and its library; returns the path of the copy's interpreter."""
    shutil.copytree(sys.base_prefix, target, symlinks=True, ignore=shutil.ignore_patterns(*NOT_NEEDED))
    if sys.platform == "win32":
        return target / "python.exe"
    python = target / "bin" / "python3"
    for each in (target / "bin").iterdir():
        if not each.name.startswith("python3") or each.name.endswith("-config"):
            each.unlink()
    if sys.platform == "linux":
        # A Python that was built as a shared library looks for it at the absolute path of its build.
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN/../lib", python.resolve()], check=True)
    return python


def install(python: Path) -> None:
    """Install pip, the locked packages and Sori's wheel into the copy."""
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([python, "-m", "ensurepip"], check=True, stdout=subprocess.DEVNULL)
    locked = ["--require-hashes", "--only-binary=:all:", "--no-deps", "--no-warn-script-location"]
    subprocess.run([*pip, "install", *locked, "-r", PROJECT / "requirements" / "runtime.txt"], check=True)
    shutil.rmtree(PROJECT / "build", ignore_errors=True)  # setuptools would pack what an earlier build has left
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", made, PROJECT], check=True)
        subprocess.run([*pip, "install", "--no-deps", "--no-warn-script-location", *Path(made).iterdir()], check=True)
    scripts = python.parent / ("Scripts" if sys.platform == "win32" else "")
    for each in scripts.iterdir():  # They name the folder of the build.
        if each.is_file() and each.read_bytes()[:2] in (b"#!", b"MZ") and not each.name.startswith("python"):
            each.unlink()


def write_launchers(folder: Path) -> None:
    """Write what people start."""
    if sys.platform == "win32":
        start = '@"%~dp0python\\python.exe" -P -m assistant.app.start %*\r\n'
        (folder / "sori.cmd").write_text(start, encoding="ascii", newline="")
        return
    launcher = folder / "sori"
    launcher.write_text(LAUNCHER, encoding="ascii")
    launcher.chmod(0o755)
    (folder / "sori-window").symlink_to("sori")


if __name__ == "__main__":
    main()
