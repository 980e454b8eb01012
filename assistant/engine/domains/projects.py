"""The domain of projects and their files (K-01 to K-03)."""

import asyncio
from collections.abc import Callable

from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.knowledge.files import KnownFile, Project
from assistant.core.knowledge.passages import FoundPassage
from assistant.core.service.request import Right
from assistant.core.service.requests import projects as rq
from assistant.engine.project_of_turn import may_read
from assistant.engine.serving.table import Asker, Domain, serves
from assistant.knowledge.projects.projects import Projects
from assistant.storage.conversations import ConversationStore

_LANE = "projects"
_PAGES = "pages of projects"
"""A lane of their own: a server may let a page wait."""


class ConversationProjects(Domain):
    """Owns the requests for the projects of conversations.

    Args:
        projects: has the projects.
        conversations: keeps which project a conversation is about.
        publish: takes events.
    """

    def __init__(
        self,
        projects: Projects,
        conversations: ConversationStore,
        publish: up.Publish = lambda _: None,
    ) -> None:
        self._projects, self._conversations, self._publish = projects, conversations, publish

    @serves(lane=_LANE)
    async def _choose_project(self, request: rq.ChooseProject) -> Project | None:
        """Let a conversation be about a project.

        Raises:
            SoriError: there is no such project, or it belongs to another workspace than the conversation's agent.
        """
        chosen = None
        if request.project:
            agent = await self._conversations.agent_of(request.conversation)
            chosen = await self._projects.find(request.project, agent.workspace)
            if not may_read(agent, chosen):
                raise SoriError(
                    ErrorCode.PERMISSION,
                    "the project belongs to another workspace",
                    message_key="project_of_other_workspace",
                    values={"name": chosen.name, "workspace": chosen.workspace},
                )
        await self._conversations.choose_project(request.conversation, "" if chosen is None else chosen.id)
        self._publish(up.ProjectChosen(conversation=request.conversation, project=chosen))
        return chosen

    @serves()
    async def _conversation_project(self, request: rq.ConversationProject) -> Project | None:
        """The project of a conversation; ``None`` if there is none, or it is gone."""
        identity = await self._conversations.project_of(request.conversation)
        found = [each for each in await self._projects.all() if each.id == identity]
        return found[0] if found else None


class ProjectFiles(Domain):
    """Owns the requests for projects.

    Args:
        projects: has them.
        workspace: gives the name of the current workspace.
    """

    def __init__(self, projects: Projects, workspace: Callable[[], str]) -> None:
        self._projects, self._workspace = projects, workspace

    @serves()
    async def _list_projects(self, request: rq.ListProjects) -> tuple[Project, ...]:
        return tuple(each for each in await self._projects.all() if request.workspace in ("", each.workspace))

    @serves()
    async def _show_project(self, request: rq.ShowProject) -> Project:
        return await self._named(request.project)

    @serves(lane=_LANE)
    async def _add_project(self, request: rq.AddProject, asker: Asker) -> Project:
        """Make a project.

        Raises:
            SoriError: the name is empty or taken, a folder does not exist, or the asker may not have folders followed.
        """
        if request.folders and not asker.grant.allows(Right.OWN):
            raise SoriError(ErrorCode.PERMISSION, "only the user adds folders", message_key="folders_are_the_users")
        return await self._projects.add(request.name, request.workspace or self._workspace(), request.folders)

    @serves(lane=_LANE)
    async def _rename_project(self, request: rq.RenameProject) -> Project:
        project = await self._named(request.project)
        await self._projects.rename(project.id, request.name)
        return await self._named(project.id)

    @serves(lane=_LANE)
    async def _remove_project(self, request: rq.RemoveProject) -> Project:
        project = await self._named(request.project)
        await self._projects.remove(project.id)
        return project

    @serves(lane=_LANE)
    async def _restore_project(self, request: rq.RestoreProject) -> bool:
        return await self._projects.restore(request.project)

    @serves(lane=_LANE)
    async def _add_folder(self, request: rq.AddFolder) -> Project:
        project = await self._named(request.project)
        await self._projects.add_folder(project.id, request.folder)
        return await self._named(project.id)

    @serves(lane=_LANE)
    async def _remove_folder(self, request: rq.RemoveFolder) -> Project:
        project = await self._named(request.project)
        await self._projects.remove_folder(project.id, request.folder)
        return await self._named(project.id)

    @serves(lane=_LANE)
    async def _add_files(self, request: rq.AddFiles) -> tuple[KnownFile, ...]:
        project = await self._named(request.project)
        return tuple([await self._projects.add_copy(project.id, each) for each in request.paths])

    @serves(lane=_LANE)
    async def _add_file(self, request: rq.AddFile) -> KnownFile:
        project = await self._named(request.project)
        # The bytes may lie in the engine's store, so they are read in a thread.
        content = await asyncio.to_thread(request.file.read)
        return await self._projects.add_bytes(project.id, request.file.name, content)

    @serves(lane=_PAGES)
    async def _keep_page(self, request: rq.KeepPage) -> KnownFile:
        project = await self._named(request.project)
        return await self._projects.keep_page(project.id, request.url)

    @serves()
    async def _list_files(self, request: rq.ListFiles) -> tuple[KnownFile, ...]:
        project = await self._named(request.project)
        return await self._projects.files(project.id, request.states, after=request.after, limit=max(1, request.limit))

    @serves()
    async def _show_file(self, request: rq.ShowFile) -> rq.ShownFile:
        """The text of a file, or of a passage.

        Raises:
            SoriError: there is no such file or passage.
        """
        file = await self._projects.file(request.file)
        if not request.passage:
            return rq.ShownFile(file=file, text=await self._projects.text_of(file.id))
        passage = await self._projects.passage(file.id, request.passage)
        if passage is None:
            number = str(request.passage)
            detail = "there is no such passage"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="passage_unknown", values={"number": number})
        return rq.ShownFile(file=file, text=passage.text, passage=passage)

    @serves(lane=_LANE)
    async def _remove_file(self, request: rq.RemoveFile) -> KnownFile:
        file = await self._projects.file(request.file)
        await self._projects.remove_file(file.id)
        return file

    @serves(lane=_PAGES)
    async def _retry_files(self, request: rq.RetryFiles) -> int:
        project = await self._named(request.project)
        return await self._projects.read_again(project.id, request.file)

    @serves()
    async def _search_files(self, request: rq.SearchFiles) -> tuple[FoundPassage, ...]:
        project = await self._named(request.project)
        limit = min(max(1, request.limit), rq.MOST_FOUND)
        return await self._projects.search(request.question, (project.id,), limit=limit)

    async def _named(self, name: str) -> Project:
        return await self._projects.find(name, self._workspace())
