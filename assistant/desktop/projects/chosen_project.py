"""The part of a list that belongs to one project, which the user chooses beside it."""

from collections.abc import Sequence

from typing_extensions import override

from assistant.core.knowledge.files import Project
from assistant.core.service.requests.projects import ListProjects
from assistant.core.updates import Missed, ProjectsChanged, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.fields import ChoiceButton
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.records_part import RecordsPart


class ProjectPart(RecordsPart):
    """A list for the chosen project.

    Args:
        needs: what it is made of.
        name: ``desktop.<name>`` has its words.
        actions: what can be done with a row.
    """

    def __init__(self, needs: PageNeeds, name: str, actions: Sequence[RecordAction]) -> None:
        super().__init__(needs, name, actions)
        self.projects: tuple[Project, ...] = ()
        self.choice = ChoiceButton()
        self.choice.rename(self.texts("desktop.projects.choice"))
        self.choice.chosen.connect(self.show_project)
        self.bar.addWidget(self.choice)
        self.ask(ListProjects(), self._offer, self.refuse)

    @property
    def project(self) -> str:
        """Id of the chosen project; empty while there is none."""
        return self.choice.value

    def show_project(self, project: str) -> None:
        """Show the rows of a project."""
        self.choice.show_value(project)
        self.load()

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, Missed) or (isinstance(update, ProjectsChanged) and not update.projects):
            self.ask(ListProjects(), self._offer, self.refuse)
        elif isinstance(update, ProjectsChanged) and self.project in update.projects:
            self.load()

    def _offer(self, projects: tuple[Project, ...]) -> None:
        self.projects = projects
        self.choice.offer([(each.id, each.name) for each in projects])
        self.choice.setVisible(bool(projects))
        known = [each.id for each in projects]
        self.show_project(self.project if self.project in known else next(iter(known), ""))
