"""The servers of language models: those of the settings, those found on this machine, and a form to add one."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.finding import is_found
from assistant.core.service.request import Refusal
from assistant.core.service.requests.servers import AddServer, CheckProvider, ListServers, ModelServer, RemoveServer
from assistant.core.texts import Texts
from assistant.core.updates import ModelsKept
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton, EntryField
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.models.adopt_offer import AdoptOffer


class ServerRow(QFrame):
    """A server: what it offers, or why it does not.

    Args:
        texts: the user's texts.
        server: the server.
        ask: sends requests.
        choose: uses the model with this reference in the shown conversation.
    """

    removed = Signal()
    key_wanted = Signal(object)

    def __init__(self, texts: Texts, server: ModelServer, ask: WindowRequests, choose: Callable[[str], None]) -> None:
        super().__init__()
        self._texts, self._ask, self._choose, self._sure = texts, ask, choose, False
        self.server = server
        self.setObjectName("kept")
        title = paragraph(server.name)
        title.setObjectName("title")
        self.facts, self.trouble = paragraph(""), paragraph("")
        self.facts.setObjectName("hint")
        self.trouble.setObjectName("failureText")
        self.models = ChoiceButton(texts("desktop.server.use"))
        self.models.chosen.connect(lambda model: choose(f"{self.server.name}/{model}"))
        self.check = self._button("check", self._check)
        self.key = self._button("add_key", lambda: self.key_wanted.emit(self.server))
        self.remove = self._button("remove", self._remove)
        self.remove.setProperty("flat", True)
        buttons = FlowLayout(8)
        for button in (self.models, self.key, self.check, self.remove):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(4)
        for part in (title, self.facts, self.trouble):
            column.addWidget(part)
        column.addLayout(buttons)
        self.show_server(server)

    def _button(self, name: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(self._texts(f"desktop.server.{name}"))
        button.setAccessibleName(f"{button.text()}: {self.server.name}")
        button.clicked.connect(act)
        return button

    def show_server(self, server: ModelServer) -> None:
        """Show the server as it is now."""
        self.server, texts = server, self._texts
        count = len(server.models)
        words = [server.address, texts("desktop.server.here" if server.local else "desktop.server.elsewhere")]
        words.append(texts("desktop.server.found" if not server.configured else "desktop.server.in_settings"))
        if not server.trouble:
            words.append(texts("desktop.server.models", count=count))
        self.facts.setText(" · ".join(words))
        self.models.offer([(model, model) for model in server.models])
        self.models.rename(texts("desktop.server.use_of", server=server.name))
        self.models.setVisible(count > 0)
        self.key.setVisible(not server.configured and bool(server.trouble))
        self.check.setVisible(server.configured)
        self.remove.setVisible(server.configured)
        self._show_trouble(server.trouble)

    def _show_trouble(self, words: str) -> None:
        self.trouble.setText(words)
        self.trouble.setVisible(bool(words))
        self.setAccessibleName(f"{self.server.name}. {self.facts.text()}. {words}")

    def _check(self) -> None:
        self.check.setEnabled(False)
        self._ask(CheckProvider(provider=self.server.name), self._checked, self._check_failed)

    def _checked(self, models: tuple[str, ...]) -> None:
        self.check.setEnabled(True)
        answered = replace(self.server, models=models, code="", trouble="")
        self.show_server(answered)
        announce(self, self.facts.text())

    def _check_failed(self, refusal: Refusal) -> None:
        self.check.setEnabled(True)
        self._show_trouble(refusal.message)
        announce(self, refusal.message)

    def _remove(self) -> None:
        """Ask at the first press and remove at the second."""
        if self._sure:
            self._ask(RemoveServer(name=self.server.name), lambda _: self.removed.emit(), self._check_failed)
        self._sure = not self._sure
        self.remove.setText(self._texts("desktop.server.remove_sure" if self._sure else "desktop.server.remove"))
        self.remove.setAccessibleName(f"{self.remove.text()}: {self.server.name}")


class AddServerForm(QFrame):
    """Takes the address and the key of a server. The server is asked before anything is stored.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    added = Signal(object)

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask, self._keyring = texts, ask, True
        self.setObjectName("kept")
        title = paragraph(texts("desktop.server.add_title"))
        title.setObjectName("title")
        note = paragraph(texts("desktop.server.add_note"))
        note.setObjectName("hint")
        self.address, self.key = EntryField(), EntryField()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        for field, name in ((self.address, "address"), (self.key, "key")):
            field.setPlaceholderText(texts(f"desktop.server.{name}"))
            field.setAccessibleName(texts(f"desktop.server.{name}"))
            field.textChanged.connect(self._refresh)
            field.returnPressed.connect(partial(self._add, unasked=False))
        self.consent = QCheckBox(texts("desktop.key.consent"))
        self.consent.setObjectName("consent")
        self.consent.toggled.connect(self._refresh)
        self.trouble = paragraph("")
        self.trouble.setObjectName("failureText")
        self.trouble.hide()
        self.add = QPushButton(texts("desktop.server.add"))
        self.add.clicked.connect(partial(self._add, unasked=False))
        self.anyway = QPushButton(texts("desktop.server.add_anyway"))
        self.anyway.clicked.connect(partial(self._add, unasked=True))
        self.anyway.hide()
        buttons = FlowLayout(8)
        buttons.addWidget(self.add)
        buttons.addWidget(self.anyway)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(6)
        for part in (title, note, self.address, self.key, self.consent, self.trouble):
            column.addWidget(part)
        column.addLayout(buttons)
        self._refresh()

    def begin(self, server: ModelServer) -> None:
        """Take the key of a server that was found."""
        self.address.setText(server.address)
        self.key.setFocus()

    def show_keyring(self, *, keyring: bool) -> None:
        """Show whether a key can be kept in a keyring."""
        self._keyring = keyring
        self._refresh()

    def _refresh(self) -> None:
        asked = not self._keyring and bool(self.key.text())
        self.consent.setVisible(asked)
        ready = bool(self.address.text().strip()) and (not asked or self.consent.isChecked())
        for button in (self.add, self.anyway):
            button.setEnabled(ready)

    def _add(self, *_: bool, unasked: bool) -> None:
        if not self.add.isEnabled():
            return
        self.add.setEnabled(False)
        self.trouble.hide()
        self.anyway.hide()
        self.add.setText(self._texts("desktop.server.adding"))
        request = AddServer(
            address=self.address.text().strip(),
            key=self.key.text().strip(),
            in_file=not self._keyring,
            unasked=unasked,
        )
        self._ask(request, self._added, self._refused)

    def _added(self, server: ModelServer) -> None:
        self.add.setText(self._texts("desktop.server.add"))
        self.address.clear()
        self.key.clear()
        self.added.emit(server)

    def _refused(self, refusal: Refusal) -> None:
        """Tell why; what was typed stays, to be corrected."""
        self.add.setText(self._texts("desktop.server.add"))
        self._refresh()
        self.trouble.setText(refusal.words)
        self.trouble.show()
        self.anyway.setVisible(refusal.reason != "server_address")
        announce(self, self.trouble.text())


class ServerList(QWidget):
    """All servers, and the form.

    Args:
        needs: what the page is made of.
        ask: sends requests.
    """

    def __init__(self, needs: PageNeeds, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask, self._choose = needs.texts, ask, needs.use_model
        self.rows: dict[str, ServerRow] = {}
        self.looking = paragraph(self._texts("desktop.server.looking"))
        self.looking.setObjectName("hint")
        self.form = AddServerForm(self._texts, ask)
        self.offer = AdoptOffer(self._texts, ask)
        self.form.added.connect(self._added)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self.looking)
        self._column.addWidget(self.offer)
        self._column.addWidget(self.form)

    def refresh(self) -> None:
        """Look for servers."""
        self.looking.setText(self._texts("desktop.server.looking"))
        self.looking.show()
        self._ask(ListServers(), self._show_servers, self._show_refusal)

    def _added(self, server: ModelServer) -> None:
        self.offer.offer(server.name, server.models)
        self.refresh()

    def show_keyring(self, kept: ModelsKept) -> None:
        """Show where a key is stored."""
        self.form.show_keyring(keyring=kept.keyring)

    def search(self, query: str, heading: str) -> bool:
        """Show the servers that contain these words; returns whether there are any."""
        for row in self.rows.values():
            words = " ".join((heading, row.accessibleName(), *row.server.models))
            row.setVisible(is_found(query, words))
        self.form.setVisible(is_found(query, f"{heading} {self._texts('desktop.server.add_title')}"))
        return not self.form.isHidden() or any(not row.isHidden() for row in self.rows.values())

    def _show_servers(self, servers: tuple[ModelServer, ...]) -> None:
        self.looking.setText(self._texts("desktop.server.none"))
        self.looking.setVisible(not servers)
        for server in servers:
            if server.name in self.rows:
                self.rows[server.name].show_server(server)
            else:
                self.rows[server.name] = row = ServerRow(self._texts, server, self._ask, self._choose)
                row.removed.connect(self.refresh)
                row.key_wanted.connect(self.form.begin)
                self._column.insertWidget(self._column.count() - 2, row)
        for name in set(self.rows) - {each.name for each in servers}:
            self.rows.pop(name).deleteLater()

    def _show_refusal(self, refusal: Refusal) -> None:
        self.looking.setText(refusal.message)
