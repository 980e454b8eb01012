"""The page of the audit: every call of a tool, who asked, what was decided, how it ended (X-07)."""

import json
from collections.abc import Sequence

from PySide6.QtWidgets import QCheckBox
from typing_extensions import override

from assistant.core.display.reading import local_time, shortened
from assistant.core.display.words import say, tool_name
from assistant.core.records.audit import HTTP, StoredCall
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.records import ListCalls
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.records.export import export_button
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PAGE_ROWS, PartedPage, RecordsPart

_LETTERS = 80
_OUTCOMES = ("done", "failed", "refused", "open")


class CallList(RecordsPart):
    """The calls, the newest first."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (RecordAction(name="open", do=self._open, fits=lambda stored: bool(stored.call.conversation)),)
        super().__init__(needs, "audit", actions)
        self.http = QCheckBox(self.texts("desktop.audit.http"))
        self.http.setObjectName("consent")
        self.http.toggled.connect(lambda _: self.load())
        self.bar.addWidget(self.http)
        export_button(self, lambda: [each.record for each in self.list.model.rows], "sori-audit.json")
        self.offer_kinds([(each, self.texts(f"audit.outcome.{each}")) for each in _OUTCOMES])
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        before = 0 if last is None else last.record.id
        request = ListCalls(limit=PAGE_ROWS, http=self.http.isChecked(), before=before)
        self.ask(request, lambda found: self._show(last, found), self.refuse)

    def _show(self, last: RecordRow | None, found: Sequence[StoredCall]) -> None:
        self.show_page(last, [self._row(each) for each in reversed(found)], more=len(found) == PAGE_ROWS)

    def _row(self, stored: StoredCall) -> RecordRow:
        arguments = _in_words(stored.call.arguments)
        name = self._name(stored)
        return RecordRow(
            key=str(stored.id),
            title=f"{name}: {shortened(arguments, _LETTERS)}" if arguments else name,
            detail=f"{self._decision(stored)} · {self._outcome(stored)}",
            side=local_time(stored.at),
            kind=_outcome(stored),
            more=stored.call.tool,
            problem=_outcome(stored) == "failed",
            record=stored,
        )

    @override
    def describe(self, record: StoredCall) -> str:
        call, end = record.call, record.end
        facts = {
            "asked": self.texts("desktop.audit.program" if call.category == HTTP else "desktop.audit.conversation"),
            "arguments": _in_words(call.arguments, lines=True),
            "decision": self._decision(record),
            "outcome": self._outcome(record),
            "took": f"{end.took_ms / 1000:.2f} s" if end is not None else "",
            "result": end.result if end is not None else "",
            "digest": call.digest,
        }
        told = [self.texts(f"desktop.audit.{name}", value=value) for name, value in facts.items() if value]
        return "\n".join([f"{self._name(record)} ({call.tool}) · {local_time(record.at, seconds=True)}", *told])

    def _name(self, stored: StoredCall) -> str:
        return stored.call.tool if stored.call.category == HTTP else tool_name(self.texts, stored.call.tool)

    def _decision(self, stored: StoredCall) -> str:
        call = stored.call
        decided = say(self.texts, f"audit.decision.{call.answer or call.decision}", otherwise=call.decision)
        return f"{decided} ({say(self.texts, f'audit.reason.{call.reason}')})" if call.reason else decided

    def _outcome(self, stored: StoredCall) -> str:
        return self.texts(f"audit.outcome.{_outcome(stored)}")

    def _open(self, stored: StoredCall) -> None:
        request = OpenConversation(conversation=stored.call.conversation)
        self.show_conversation(request)


class AuditPage(PartedPage):
    """The page of the audit."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "audit", {"audit": CallList})


def _outcome(stored: StoredCall) -> str:
    return stored.end.outcome if stored.end is not None else "open"


def _in_words(arguments: str, *, lines: bool = False) -> str:
    """The arguments without the signs of JSON, as far as they are an object."""
    try:
        told = json.loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(told, dict):
        return arguments
    pairs = [
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in told.items()
    ]
    return ("\n  " if lines else ", ").join(pairs)
