"""The page of the people whom the user knows: find, add, change, remove with undo, import and export (D-07)."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog
from typing_extensions import override

from assistant.core.formats.text_encoding import decoded
from assistant.core.people.vcard import LARGEST_LETTERS
from assistant.core.records.people import BankAccount, Person
from assistant.core.service.request import Refusal
from assistant.core.service.requests import people as rq
from assistant.core.updates import Missed, PeopleChanged, Update
from assistant.desktop.frame.page import PageNeeds, scrolling
from assistant.desktop.people.person_form import PersonForm
from assistant.desktop.records.record_list import RecordAction
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.records_part import PartedPage, RecordsPart
from assistant.desktop.saving import save_as


class PeopleList(RecordsPart):
    """All people by name. The form of one takes the place of the list while it is filled in."""

    def __init__(self, needs: PageNeeds) -> None:
        actions = (
            RecordAction(name="edit", do=self._edit, keys="F2"),
            RecordAction(name="numbers", do=self._show_numbers, fits=lambda person: bool(person.accounts)),
            RecordAction(name="remove", do=self._remove, keys="Delete"),
        )
        super().__init__(needs, "people", actions)
        self.form = PersonForm(self.texts)
        self.form.saved.connect(self._keep)
        self.form.left.connect(self._close_form)
        self.form_area = scrolling(self.form)
        self.form_area.hide()
        self.column.addWidget(self.form_area, 1)
        self.buttons = [
            self.add_button("add", lambda: self._open_form(Person(name=""))),
            self.add_button("import", self._choose_file),
            self.add_button("export", self._export),
        ]
        self.load()

    @override
    def load(self, last: RecordRow | None = None) -> None:
        self.ask(rq.ListPeople(), lambda found: self.show_page(None, [*map(self._row, found)]), self.refuse)

    @override
    def describe(self, record: Person) -> str:
        lines = [record.name if not record.relation else f"{record.name} · {record.relation}"]
        told = [
            ("alias", ", ".join(record.aliases)),
            ("phone", record.phone),
            ("email", record.email),
            ("birthday", record.birthday),
            *(("account", _account_words(each)) for each in record.accounts),
            ("note", record.note),
        ]
        lines += [self.texts(f"desktop.people.{name}", text=text) for name, text in told if text]
        return "\n".join(lines)

    @override
    def show_update(self, update: Update) -> None:
        """Read the list again when it has changed, whoever changed it."""
        if isinstance(update, PeopleChanged | Missed):
            self.load()

    def _row(self, person: Person) -> RecordRow:
        account = _account_words(person.accounts[0]) if person.accounts else ""
        detail = (person.relation, ", ".join(person.aliases), person.phone, account)
        return RecordRow(
            key=person.id,
            title=person.name,
            detail=" · ".join(filter(None, detail)),
            side=person.birthday.removeprefix("--"),
            more=" ".join((person.email, person.note)),
            record=person,
        )

    # One person

    def _edit(self, person: Person) -> None:
        # The list has masked numbers only.
        self.ask(rq.ShowPerson(person=person.id), self._open_form, self.refuse)

    def _show_numbers(self, person: Person) -> None:
        def show(whole: Person) -> None:
            words = "\n".join(
                self.texts("desktop.people.account", text=_account_words(each)) for each in whole.accounts
            )
            self.list.tell_more(person.id, words)

        self.ask(rq.ShowPerson(person=person.id), show, self.refuse)

    def _open_form(self, person: Person) -> None:
        self.told.put_away()
        self._show_form(shown=True)
        self.form.show_person(person)

    def _close_form(self) -> None:
        self._show_form(shown=False)
        self.list.setFocus()

    def _show_form(self, *, shown: bool) -> None:
        self.form_area.setVisible(shown)
        self.list.setVisible(not shown)
        for each in (self.intro, *self.buttons):
            each.setVisible(not shown)

    def _keep(self, person: Person) -> None:
        self.form.save.setEnabled(False)
        request = rq.ChangePerson(person=person.id, kept=person) if person.id else rq.AddPerson(kept=person)
        done = "changed" if person.id else "added"
        self.ask(request, partial(self._kept, done), self._not_kept)

    def _kept(self, done: str, person: Person) -> None:
        self.form.save.setEnabled(True)
        self._close_form()
        self.told.tell(self.texts(f"desktop.people.{done}", name=person.name))
        self.load()

    def _not_kept(self, refusal: Refusal) -> None:
        self.form.save.setEnabled(True)
        self.form.trouble.tell(refusal.words)

    def _remove(self, person: Person) -> None:
        self.ask(rq.RemovePerson(person=person.id), self._removed, self.refuse)

    def _removed(self, person: Person) -> None:
        self.told.offer_undo(self.texts("desktop.people.removed", name=person.name), partial(self._restore, person.id))
        self.load()

    def _restore(self, person: str) -> None:
        def tell(restored: bool) -> None:
            self.told.tell(self.texts("desktop.records.undone" if restored else "desktop.records.not_undone"))
            self.load()

        self.ask(rq.RestorePerson(person=person), tell, self.refuse)

    # Files

    def _choose_file(self) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
        kinds = self.texts("desktop.people.files")
        dialog = QFileDialog(self.window(), self.texts("desktop.people.import"), folder, kinds)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.take_file(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take_file(self, path: Path) -> None:
        """Import the people of a file."""
        try:
            with path.open("rb") as file:
                # A character has up to four bytes; the engine refuses what is longer than it takes.
                text = decoded(file.read(4 * LARGEST_LETTERS + 1))
        except OSError as error:
            problem = error.strerror or str(error)
            self.told.tell(self.texts("desktop.people.unreadable", path=str(path), problem=problem))
            return
        self.ask(rq.ImportPeople(text="" if text is None else text.text), self._imported, self.refuse)

    def _imported(self, result: rq.ImportedPeople) -> None:
        values = {"added": str(result.added), "known": str(result.known), "unreadable": str(result.unreadable)}
        self.told.tell(self.texts("desktop.people.imported", **values))
        self.load()

    def _export(self) -> None:
        self.ask(rq.ExportPeople(), self._save, self.refuse)

    def _save(self, text: str) -> None:
        save_as(self.texts, self.texts("desktop.people.file_name"), text.encode, self, self._exported)

    def _exported(self, words: str) -> None:
        self.told.tell(f"{words} {self.texts('desktop.people.exported')}")


class PeoplePage(PartedPage):
    """The page of people."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "people", {"people": PeopleList})


def _account_words(account: BankAccount) -> str:
    return " ".join(filter(None, (account.bank, account.number, account.holder)))
