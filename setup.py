"""What ``pyproject.toml`` cannot say: the change log goes into the package, where the page about Sori reads it."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithChanges(build_py):
    """Builds the package and copies the change log beside its modules."""

    def run(self) -> None:
        """Build."""
        super().run()
        self.copy_file("CHANGELOG.md", str(Path(self.build_lib) / "assistant" / "CHANGELOG.md"))


setup(cmdclass={"build_py": BuildWithChanges})
