"""A small project of the same shape as Sori's, whose packages come from a folder."""

import shutil
from pathlib import Path

import pytest

from assistant.setup.environment import Environment
from assistant.setup.installation import Installation
from assistant.setup.words import Words
from tests.fakes.weights.packages import folder_for_pip, make_wheel


def lock(project: Path, packages: Path, name: str = "tiny", group: str = "runtime") -> None:
    """Lock one package, made on the spot, into the project's requirements."""
    package = make_wheel(packages, name, {f"{name}.py": b"VALUE = 1\n"})
    (project / "requirements").mkdir(exist_ok=True)
    (project / "requirements" / f"{group}.txt").write_text(f"{name}==1.0 \\\n    --hash=sha256:{package.sha256}\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes packages from."""
    return folder_for_pip(tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with pip and nothing else, made once, to be copied."""
    project = tmp_path_factory.mktemp("bare")
    (project / "requirements").mkdir()
    (project / "requirements" / "none.txt").write_text("")
    Installation(Environment(project), Words("en")).install(["none"])
    return project / ".venv"


@pytest.fixture
def project(tmp_path: Path, packages: Path, bare_environment: Path) -> Path:
    """A project with an environment that lacks its one package."""
    folder = tmp_path / "project"
    folder.mkdir()
    lock(folder, packages)
    shutil.copytree(bare_environment, folder / ".venv", symlinks=True)
    (folder / ".venv" / ".sori.json").unlink()
    return folder
