"""The recipes of ``packaging/``: what can be checked of them on any machine."""

import plistlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assistant.host.places import PROJECT

PACKAGING = PROJECT / "packaging"
SHELL = sorted(PACKAGING.rglob("*.sh"))
RECIPES = [*SHELL, *PACKAGING.rglob("*.ps1"), *PACKAGING.rglob("*.iss"), PROJECT / "docs" / "releasing.md"]
_FILE = re.compile(r"(?<![\w/\\.-])packaging[/\\]([\w/\\]+\.(?:py|sh|ps1|iss|plist))")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("script", SHELL, ids=lambda path: path.name)
def test_a_script_of_the_shell_can_be_read_and_run(script: Path) -> None:
    assert subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False).stderr == ""
    assert script.stat().st_mode & 0o111


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_files_that_a_recipe_names_exist(recipe: Path) -> None:
    named = _FILE.findall(recipe.read_text(encoding="utf-8"))
    assert [each for each in named if not (PACKAGING / each.replace("\\", "/")).is_file()] == []


def test_the_entitlements_of_macos_allow_the_microphone() -> None:
    told = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert told["com.apple.security.device.audio-input"] is True


def test_every_package_starts_the_same_module() -> None:
    start = "assistant.app.start"
    launching = [PACKAGING / "bundle.py", PACKAGING / "windows" / "sori.iss", PACKAGING / "macos" / "build.sh"]
    for each in launching:
        assert set(re.findall(r"-m (assistant[\w.]*)", each.read_text(encoding="utf-8"))) == {start}
    assert 'if __name__ == "__main__":' in (PROJECT / f"{start.replace('.', '/')}.py").read_text(encoding="utf-8")
