import os
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.setup.environment import Environment
from assistant.setup.launcher import link_launcher, write_launcher

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links are for POSIX")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    made = Environment(tmp_path / "a folder with 'quotes'")
    (made.folder / "bin").mkdir(parents=True)
    made.python.symlink_to(sys.executable)
    (made.project / "main.py").write_text("import sys; print(sys.argv[1:])")
    return made


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """A user with ``~/.local/bin`` on the path."""
    folder = tmp_path / "home" / ".local" / "bin"
    folder.mkdir(parents=True)
    return {"HOME": str(tmp_path / "home"), "PATH": f"/bin{os.pathsep}{folder}"}


def test_the_launcher_starts_main_with_its_arguments(environment: Environment) -> None:
    answer = subprocess.run([write_launcher(environment), "chat", "a b"], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "['chat', 'a b']"


def test_the_launcher_is_linked_where_the_path_leads(environment: Environment, person: dict[str, str]) -> None:
    launcher = write_launcher(environment)
    link = link_launcher(launcher, person)
    assert link is not None
    assert link.resolve() == launcher.resolve()
    assert link_launcher(launcher, person) is None


def test_another_sori_is_left_alone(environment: Environment, person: dict[str, str]) -> None:
    other = Path(person["HOME"]) / ".local" / "bin" / "sori"
    other.write_text("mine")
    assert link_launcher(write_launcher(environment), person) is None
    assert other.read_text() == "mine"


def test_a_link_to_a_checkout_that_is_gone_is_replaced(environment: Environment, person: dict[str, str]) -> None:
    (Path(person["HOME"]) / ".local" / "bin" / "sori").symlink_to("/gone/.venv/bin/sori")
    assert link_launcher(write_launcher(environment), person) is not None


def test_nothing_is_linked_where_the_path_does_not_lead(environment: Environment, person: dict[str, str]) -> None:
    assert link_launcher(write_launcher(environment), {**person, "PATH": "/bin"}) is None
