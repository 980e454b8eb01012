"""Tells the doors how far projects are, a few times a second at most: a thousand files make thousands of steps."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from assistant.core import updates as up
from assistant.core.errors import StorageError
from assistant.core.texts import Texts
from assistant.knowledge.projects.pipeline import FileProgress
from assistant.knowledge.projects.projects import Projects

_EVERY_S: Final = 0.5


@dataclass(slots=True)
class ProjectNews:
    """Gathers what changes and tells it."""

    projects: Projects
    publish: up.Publish
    texts: Texts
    _changed: set[str] = field(default_factory=set)
    _progress: FileProgress | None = None
    _timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Tell from now on."""
        self.projects.changed.add(self._note)
        self.projects.pipeline.progressed.add(self._step)
        self.projects.following.polls.add(self._polls)
        self.projects.pipeline.stopped.add(self._stopped)

    def _note(self, project: str) -> None:
        self._changed.add(project)
        self._soon()

    def _step(self, progress: FileProgress) -> None:
        self._changed.add(progress.project)
        self._progress = progress
        self._soon()

    def _soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_EVERY_S, self._tell)

    def _tell(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, set()
        self.publish(up.ProjectsChanged(projects=() if "" in changed else tuple(sorted(changed))))
        if (step := self._progress) is not None:
            self._progress = None
            self.publish(up.FileProgressed(project=step.project, file=step.file, state=step.state, fraction=step.share))

    def _polls(self, path: str) -> None:
        self.publish(
            up.NoticePosted(key="notice.folder_polled", severity=up.Severity.WARNING, values={"path": path}, about=path)
        )

    def _stopped(self, error: StorageError) -> None:
        reason = self.texts(error.message_key, **error.values)
        self.publish(
            up.NoticePosted(
                key="notice.files_not_kept",
                severity=up.Severity.ERROR,
                values={"reason": reason},
                about="files_not_kept",
                detail=str(error),
            )
        )
