"""The list of projects that all devices of the account have in common. Folders and files stay on each device."""

import json
from collections.abc import Mapping
from dataclasses import asdict

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
        return {
            identity: json.dumps(asdict(project), ensure_ascii=False, sort_keys=True)
            for identity, project in (await self._projects.shared()).items()
        }

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
        content = json.loads(text) if text else None
        project = None if content is None else SharedProject(**content)
    except (TypeError, ValueError) as error:
        raise UnfitError(text) from error
    if project is not None and not all(isinstance(each, str) and each for each in asdict(project).values()):
        raise UnfitError(text)
    return project
