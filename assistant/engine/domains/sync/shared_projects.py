"""The list of projects that all devices of the account have in common. Folders and files stay on each device."""

from collections.abc import Mapping

from assistant.knowledge.projects.projects import Projects
from assistant.knowledge.projects.shared_rows import SharedProject, StillUsedError
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource


class SharedProjects(ValueSource):
    """Implements ``ValueSource``. A value is named by the id of its project, which conversations refer to.

    A project that was removed elsewhere stays here while it has folders or files.
    """

    sort = "project"

    def __init__(self, projects: Projects) -> None:
        self._projects = projects

    async def all(self) -> Mapping[str, str]:
        """The projects as JSON."""
        return {identity: project.text for identity, project in (await self._projects.shared()).items()}

    async def names(self) -> Mapping[str, str]:
        """The names of the projects, by id."""
        return {identity: project.name for identity, project in (await self._projects.shared()).items()}

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over a project.

        Raises:
            UnfitError: it has columns that this Sori does not know, or was removed and still has files here.
        """
        try:
            return await self._projects.take_over(name, _project(text), _project(before))
        except StillUsedError as error:
            raise UnfitError(name) from error

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:
        """The account's form for a device that joins; a project never goes while another device has changed it."""
        return (theirs or ours) if first else (ours or theirs)


def _project(text: str) -> SharedProject | None:
    try:
        return SharedProject.of(text) if text else None
    except ValueError as error:
        raise UnfitError(text) from error
