"""What services of flows are told of the last days: what was said, and what changed in projects."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from assistant.core.knowledge.files import ProjectChanges
from assistant.core.records.conversations import TalkedAbout
from assistant.knowledge.projects.projects import Projects
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.timers import StoredTimer


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacePast:
    """Implements ``RecentPast``: only what belongs to the workspace of the conversation that asks is told.

    Attributes:
        conversations: tells whose a conversation is.
        entries: the list of conversations.
        projects: the projects.
        requests: the scheduled requests. What they have answered was not said by anybody.
    """

    conversations: ConversationStore
    entries: ConversationList
    projects: Projects
    requests: Callable[[], Awaitable[Sequence[StoredTimer]]]

    async def talked_about(self, session: str, since: datetime) -> tuple[TalkedAbout, ...]:
        """The conversations in which something was said, the newest first."""
        agent = await self.conversations.agent_of(session)
        results = {each.job.conversation for each in await self.requests() if each.job is not None}
        return await self.entries.talked_about(agent.workspace, since, asking=session, without=results)

    async def changes(self, session: str, since: datetime) -> tuple[ProjectChanges, ...]:
        """What has changed in the projects, by name."""
        agent = await self.conversations.agent_of(session)
        return await self.projects.changes_since(agent.workspace, since)
