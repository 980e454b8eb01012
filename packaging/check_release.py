#!/usr/bin/env python3
"""Whether the places that name a release agree: ``python packaging/check_release.py``; see docs/releasing.md."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))


def problems() -> list[str]:
    """What prevents the release, in words."""
    from assistant.core.version import VERSION

    found = []
    changes = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, *released = re.split(r"^## ", changes, flags=re.MULTILINE)[1:]
    heading = re.match(r"(\S+) \((\d{4}-\d\d-\d\d)\)\n", released[0]) if released else None
    if unreleased.strip() != "Unreleased":
        found.append('CHANGELOG.md: the first section is to be an empty "Unreleased"')
    if heading is None or heading.group(1) != VERSION:
        found.append(f'CHANGELOG.md: the second section is to be "{VERSION} (DATE)"')
    metadata = next((PROJECT / "assistant" / "resources" / "desktop").glob("*.metainfo.xml")).read_text(
        encoding="utf-8"
    )
    newest = re.search(r'<release version="([^"]+)" date="([^"]+)"', metadata)
    if newest is None or heading is None or newest.groups() != heading.groups():
        found.append("metainfo.xml: the first release is to have the version and the date of CHANGELOG.md")
    if told := subprocess.run(["git", "status", "--short"], cwd=PROJECT, capture_output=True, text=True).stdout:
        found.append(f"uncommitted files:\n{told}")
    shutil.rmtree(PROJECT / "build", ignore_errors=True)  # setuptools would pack what an earlier build has left
    with tempfile.TemporaryDirectory() as made:
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", made, str(PROJECT)]
        subprocess.run(command, check=True)
        if not (Path(made) / f"sori-{VERSION}-py3-none-any.whl").is_file():
            found.append(f"the wheel is not of version {VERSION}")
    return found


if __name__ == "__main__":
    told = problems()
    sys.exit("\n".join(told) if told else 0)
