"""What Sori remembers: of the user, of each workspace and of each agent (M-03, M-05)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget
from typing_extensions import override

from assistant.core.display.reading import local_time, shortened
from assistant.core.records.agents import ListedWorkspace
from assistant.core.records.memory import ListedFact, ListedMemory, MemoryChange, MemoryPlace, Scope
from assistant.core.service.requests.agents import ListWorkspaces
from assistant.core.service.requests.conversations import FindMessage, MessageFound, OpenConversation
from assistant.core.service.requests.memory import ChangeFact, ForgetFact, ReadMemory, UndoMemory
from assistant.core.updates import MemoryChanged, Missed, Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import RecordsPart

_SOURCE_LETTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFact:
    """A fact and the memory that has it.

    Attributes:
        place: the memory.
        owner: whose memory it is, in the user's words.
        fact: the fact.
    """

    place: MemoryPlace
    owner: str
    fact: ListedFact

    @property
    def key(self) -> str:
        """Names the fact in its memory."""
        return f"{self.place.scope}/{self.place.workspace}/{self.place.agent}/{self.fact.text}"


class FactList(RecordsPart):
    """All facts, the newest first. Each can be edited and forgotten, which can be undone."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (
            RecordAction(name="edit", do=self._edit, keys="F2"),
            RecordAction(name="forget", do=self._forget, keys="Delete"),
            RecordAction(name="open", do=self._open, fits=lambda record: bool(record.fact.source)),
        )
        super().__init__(needs, "facts", actions)
        self._facts: dict[MemoryPlace, tuple[PlacedFact, ...]] = {}
        self._source: MessageFound | None = None
        self.editor = QWidget()
        self.field = EntryField()
        self.field.setAccessibleName(self.texts("desktop.facts.words"))
        self.field.returnPressed.connect(self._save)
        self.save = QPushButton(self.texts("desktop.facts.save"))
        self.save.clicked.connect(self._save)
        row = QHBoxLayout(self.editor)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.save)
        self.editor.hide()
        self.list.panel.insertWidget(1, self.editor)
        self.list.chosen.connect(self._show_source)
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        """Read all memories; they are small."""
        self.ask(ListWorkspaces(), self._read, self.refuse)

    @override
    def describe(self, record: PlacedFact) -> str:
        fact = record.fact
        lines = [fact.text, self.texts("desktop.facts.owner", owner=record.owner), self._how(fact)]
        if fact.outside:
            lines.append(self.texts("desktop.facts.outside"))
        return "\n".join(filter(None, lines))

    @override
    def show_update(self, update: Update) -> None:
        """Read the memories again when one has changed, whoever changed it."""
        if isinstance(update, MemoryChanged | Missed):
            self.load()
        if isinstance(update, MemoryChanged):
            change = update.change
            done = "forgotten" if change.removed else "changed" if change.former else "remembered"
            words = self.texts(f"desktop.facts.{done}", fact=shortened(change.text, _SOURCE_LETTERS))
            self.told.offer_undo(words, partial(self._undo, change.id))

    def _read(self, workspaces: Sequence[ListedWorkspace]) -> None:
        places = [(MemoryPlace(), self.texts("desktop.facts.personal"))]
        for workspace in workspaces:
            place = MemoryPlace(scope=Scope.WORKSPACE, workspace=workspace.name)
            places.append((place, self.texts("desktop.facts.workspace", name=workspace.title)))
            for agent in workspace.agents:
                place = MemoryPlace(scope=Scope.AGENT, workspace=workspace.name, agent=agent.id.name)
                places.append((place, self.texts("desktop.facts.agent", name=agent.title, workspace=workspace.title)))
        self._facts = {place: self._facts.get(place, ()) for place, _ in places}
        for place, owner in places:
            self.ask(ReadMemory(place=place), partial(self._take, place, owner), self.refuse)

    def _take(self, place: MemoryPlace, owner: str, memory: ListedMemory) -> None:
        self._facts[place] = tuple(PlacedFact(place=place, owner=owner, fact=each) for each in memory.facts)
        found = [each for facts in self._facts.values() for each in facts]
        found.sort(key=lambda each: each.fact.since, reverse=True)
        owners = dict.fromkeys(each.owner for each in found)
        self.offer_kinds([(each, each) for each in owners])
        self.show_page(None, [self._row(each) for each in found])

    def _row(self, record: PlacedFact) -> RecordRow:
        return RecordRow(
            key=record.key,
            title=record.fact.text,
            detail=f"{record.owner} · {self._how(record.fact)}",
            side=record.fact.since,
            kind=record.owner,
            record=record,
        )

    def _how(self, fact: ListedFact) -> str:
        """How the fact came into the memory."""
        if not fact.since:
            return self.texts("desktop.facts.by_hand")
        return self.texts("desktop.facts.unasked" if fact.unasked else "desktop.facts.asked", day=fact.since)

    # The chosen fact

    def _show_source(self, record: PlacedFact | None) -> None:
        """Tell which message a fact came from."""
        self._source = None
        self.editor.hide()
        if record is not None and record.fact.source:
            self.ask(FindMessage(message=record.fact.source), partial(self._tell_source, record), self.refuse)

    def _tell_source(self, record: PlacedFact, found: MessageFound | None) -> None:
        self._source = found
        if found is None:
            self.list.tell_more(record.key, self.texts("desktop.facts.source_gone"))
            self.list.buttons["open"].hide()
            return
        said = shortened(" ".join(found.message.text.split()), _SOURCE_LETTERS)
        at = local_time(found.message.created_at)
        self.list.tell_more(record.key, self.texts("desktop.facts.source", said=said, at=at, title=found.title))

    def _open(self, record: PlacedFact) -> None:
        """Show the message that a fact came from, in the conversation."""
        if self._source is not None and self._source.message.id == record.fact.source:
            source = self._source
            self.show_conversation(OpenConversation(conversation=source.conversation, message=source.message.id))

    def _edit(self, record: PlacedFact) -> None:
        self.field.setText(record.fact.text)
        self.editor.show()
        self.field.setFocus()

    def _save(self) -> None:
        record, words = self.list.record, self.field.text().strip()
        if record is None or not words or words == record.fact.text:
            self.editor.hide()
            self.list.setFocus()
            return
        request = ChangeFact(place=record.place, text=record.fact.text, words=words)
        self.ask(request, partial(self._done, record), self.refuse)

    def _forget(self, record: PlacedFact) -> None:
        request = ForgetFact(place=record.place, text=record.fact.text)
        self.ask(request, partial(self._done, record), self.refuse)

    def _done(self, record: PlacedFact, changed: ListedFact | None) -> None:
        self.editor.hide()
        self.list.setFocus()
        if changed is None:
            self.told.tell(self.texts("desktop.facts.gone", fact=record.fact.text))
        self.load()

    def _undo(self, change: str) -> None:
        def tell(undone: MemoryChange | None) -> None:
            self.told.tell(self.texts("desktop.records.undone" if undone else "desktop.records.not_undone"))
            self.load()

        self.ask(UndoMemory(change=change), tell, self.refuse)
