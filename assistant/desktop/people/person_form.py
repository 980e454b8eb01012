"""The form in which a person is written down or changed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from assistant.core.records.people import BankAccount, Person
from assistant.core.texts import Texts
from assistant.desktop.chrome.trouble_words import TroubleWords
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.kit.flow_layout import FlowLayout

_NOTE_LINES = 3
_FIELDS = ("name", "relation", "phone", "email", "birthday", "aliases")


class AccountFields(QFrame):
    """The fields of one account.

    Args:
        texts: the user's texts.
        account: what stands in them.
    """

    dropped = Signal()

    def __init__(self, texts: Texts, account: BankAccount) -> None:
        super().__init__()
        self._texts = texts
        self.bank, self.number, self.holder = EntryField(account.bank), EntryField(account.number), EntryField()
        self.holder.setText(account.holder)
        self.drop = QPushButton(texts("desktop.people.form.drop_account"))
        self.drop.setProperty("flat", True)
        self.drop.setAutoDefault(False)
        self.drop.clicked.connect(self.dropped)
        for name, field in (("bank", self.bank), ("number", self.number), ("holder", self.holder)):
            words = texts(f"desktop.people.form.{name}")
            field.setPlaceholderText(words)
            field.setAccessibleName(words)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        _share(grid)
        grid.addWidget(self.bank, 0, 0)
        grid.addWidget(self.number, 0, 1)
        grid.addWidget(self.holder, 1, 0)
        grid.addWidget(self.drop, 1, 1)

    @property
    def account(self) -> BankAccount:
        """What stands in the fields."""
        return BankAccount(bank=self.bank.text(), number=self.number.text(), holder=self.holder.text())


class PersonForm(QFrame):
    """Takes all that is kept of a person.

    Args:
        texts: the user's texts.
    """

    saved = Signal(object)
    """The user wants this person kept."""
    left = Signal()
    """The user wants nothing changed."""

    def __init__(self, texts: Texts) -> None:
        super().__init__()
        self._texts = texts
        self._person = Person(name="")
        self.setObjectName("kept")
        self.title = paragraph("")
        self.title.setObjectName("title")
        self.fields = {name: EntryField() for name in _FIELDS}
        self.note = QPlainTextEdit()
        self.note.setObjectName("key")
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(self.note.fontMetrics().lineSpacing() * _NOTE_LINES + 18)
        self.accounts: list[AccountFields] = []
        self.more = self._button("add_account", lambda: self._add_account(BankAccount(bank="", number="")).setFocus())
        self.more.setProperty("flat", True)
        self.trouble = TroubleWords()
        self.save = self._button("save", self._save)
        self.cancel = self._button("cancel", self.left.emit)
        self._lay_out()

    def _button(self, name: str, clicked: object) -> QPushButton:
        button = QPushButton(self._texts(f"desktop.people.form.{name}"))
        button.setAutoDefault(False)
        button.clicked.connect(clicked)
        return button

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        _share(grid)
        for index, (name, field) in enumerate(self.fields.items()):
            row, place = index // 2 * 2, index % 2
            grid.addWidget(self._label(name, field), row, place)
            grid.addWidget(field, row + 1, place)
            field.returnPressed.connect(self._save)
        self._account_column = QVBoxLayout()
        self._account_column.setSpacing(10)
        buttons = FlowLayout(8)
        buttons.addWidget(self.save)
        buttons.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addLayout(grid)
        column.addLayout(self._account_column)
        more = FlowLayout(8)
        more.addWidget(self.more)
        column.addLayout(more)
        column.addWidget(self._label("note", self.note))
        column.addWidget(self.note)
        column.addWidget(self.trouble)
        column.addLayout(buttons)
        column.addStretch(1)

    def _label(self, name: str, field: QWidget) -> QWidget:
        words = self._texts(f"desktop.people.form.{name}")
        field.setAccessibleName(words)
        label = paragraph(words)
        label.setObjectName("hint")
        return label

    def show_person(self, person: Person) -> None:
        """Show what is kept of somebody; of somebody new without an id."""
        self._person = person
        key = "edit" if person.id else "new"
        self.title.setText(self._texts(f"desktop.people.form.{key}", name=person.name))
        for name, field in self.fields.items():
            field.setText(", ".join(person.aliases) if name == "aliases" else str(getattr(person, name)))
        self.note.setPlainText(person.note)
        self.trouble.tell("")
        for each in list(self.accounts):
            self._drop(each)
        for account in person.accounts:
            self._add_account(account)
        self.fields["name"].setFocus()

    def _add_account(self, account: BankAccount) -> EntryField:
        """Add the fields of an account; returns the first one."""
        added = AccountFields(self._texts, account)
        added.dropped.connect(lambda: self._drop(added))
        for field in (added.bank, added.number, added.holder):
            field.returnPressed.connect(self._save)
        self.accounts.append(added)
        self._account_column.addWidget(added)
        return added.bank

    def _drop(self, account: AccountFields) -> None:
        self.accounts.remove(account)
        self._account_column.removeWidget(account)
        account.hide()
        account.deleteLater()

    def _save(self) -> None:
        aliases = self.fields["aliases"].text().replace("，", ",").split(",")
        person = Person(
            id=self._person.id,
            name=self.fields["name"].text(),
            relation=self.fields["relation"].text(),
            aliases=tuple(aliases),
            accounts=tuple(each.account for each in self.accounts),
            phone=self.fields["phone"].text(),
            email=self.fields["email"].text(),
            birthday=self.fields["birthday"].text(),
            note=self.note.toPlainText(),
        )
        self.trouble.tell("")
        self.saved.emit(person)


def _share(grid: QGridLayout) -> None:
    """Give two columns the same width."""
    for column in range(2):
        grid.setColumnStretch(column, 1)
