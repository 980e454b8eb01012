"""Two fields for a new passphrase, typed twice because nobody sees it."""

from collections.abc import Callable

from PySide6.QtWidgets import QFormLayout, QLineEdit

from assistant.core.texts import Texts
from assistant.desktop.kit.fields import EntryField


class PassphraseFields:
    """Adds its fields to a form.

    Args:
        texts: the user's texts.
        name: names the text beside the first field.

    Attributes:
        first: the passphrase.
        again: the passphrase once more.
    """

    def __init__(self, texts: Texts, name: str = "passphrase") -> None:
        self._texts = texts
        self.first, self.again = EntryField(), EntryField()
        self._labels = {name: self.first, "again": self.again}

    def add_to(self, form: QFormLayout, changed: Callable[[], None], entered: Callable[[], None]) -> None:
        """Put the fields below what is in a form.

        Args:
            form: takes the fields.
            changed: called when one was changed.
            entered: called when Enter was pressed in one.
        """
        for name, field in self._labels.items():
            field.setEchoMode(QLineEdit.EchoMode.Password)
            add_row(form, self._texts(f"desktop.sync.{name}"), field, changed, entered)

    @property
    def text(self) -> str:
        """The passphrase if both are the same, else empty."""
        return self.first.text() if self.first.text() == self.again.text() else ""

    @property
    def words(self) -> str:
        """What is wrong with the second field; empty while it may still become the same."""
        begun = self.again.text()
        return "" if self.first.text().startswith(begun) else self._texts("desktop.sync.not_the_same")

    def clear(self) -> None:
        """Forget what was typed."""
        for each in (self.first, self.again):
            each.clear()


def add_row(
    form: QFormLayout, label: str, field: EntryField, changed: Callable[[], None], entered: Callable[[], None]
) -> None:
    """Add a labelled field to a form. The other arguments are those of ``PassphraseFields.add_to``."""
    field.setAccessibleName(label)
    field.textChanged.connect(lambda _: changed())
    field.returnPressed.connect(entered)
    form.addRow(label, field)
