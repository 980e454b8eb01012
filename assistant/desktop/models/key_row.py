"""A field for the API key of a provider."""

from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout

from assistant.core.service.requests.servers import CheckProvider, StoreKey
from assistant.core.texts import Texts
from assistant.core.updates import KeyPlace, ModelsKept
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import EntryField
from assistant.desktop.models.adopt_offer import AdoptOffer

_VENDORS = {"openai": "OpenAI", "anthropic": "Anthropic (Claude)", "google": "Google (Gemini)", "zai": "Z.AI (GLM)"}


class KeyRow(QFrame):
    """Stores a provider's key in the keyring, or with the user's consent in a file if there is no keyring.

    Args:
        texts: the user's texts.
        place: the provider.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, place: KeyPlace, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._place, self._ask = texts, place, ask
        self._keyring = True
        self.setObjectName("kept")
        name = place.provider if place.configured else _VENDORS.get(place.kind, place.provider)
        self.setAccessibleName(name)
        title = paragraph(name)
        title.setObjectName("title")
        self.note = paragraph("")
        self.note.setObjectName("hint")
        self.field = EntryField()
        self.field.setObjectName("key")
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(texts("desktop.key.field"))
        self.field.setAccessibleName(texts("desktop.key.field_of", provider=name))
        self.save = QPushButton(texts("desktop.key.save"))
        self.save.setAccessibleName(f"{texts('desktop.key.save')}: {name}")
        self.consent = QCheckBox()
        self.consent.setObjectName("consent")
        self.consent_note = paragraph("")
        self.consent_note.setObjectName("hint")
        self.tested = paragraph("")
        self.tested.hide()
        self.offer = AdoptOffer(texts, ask)
        self.field.textChanged.connect(self._refresh)
        self.field.returnPressed.connect(self._store)
        self.consent.toggled.connect(self._refresh)
        self.save.clicked.connect(self._store)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.field, 1)
        line.addWidget(self.save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(6)
        layout.addWidget(title)
        layout.addWidget(self.note)
        layout.addLayout(line)
        layout.addWidget(self.tested)
        layout.addWidget(self.offer)
        layout.addWidget(self.consent)
        layout.addWidget(self.consent_note)
        self._refresh()

    def show_kept(self, kept: ModelsKept) -> None:
        """Show whether there is a key, and where a new one is stored."""
        place = next((each for each in kept.keys if each.provider == self._place.provider), self._place)
        self._place, self._keyring = place, kept.keyring
        self.consent.setText(self._texts("desktop.key.consent"))
        self.consent_note.setText(self._texts("desktop.key.consent_note", file=kept.file))
        self._refresh()

    def _refresh(self) -> None:
        place, texts = self._place, self._texts
        words = [texts("desktop.key.there" if place.has_key else "desktop.key.missing")]
        if f"desktop.model.{place.kind}_note" in texts:
            words.append(texts(f"desktop.model.{place.kind}_note"))
        if not place.configured:
            words.append(texts("desktop.key.adds"))
        self.note.setText(" ".join(words))
        asked = not self._keyring and bool(self.field.text())
        self.consent.setVisible(asked)
        self.consent_note.setVisible(asked)
        self.save.setEnabled(self._ready)

    @property
    def _ready(self) -> bool:
        return bool(self.field.text().strip()) and (self._keyring or self.consent.isChecked())

    def _store(self) -> None:
        if not self._ready:
            return
        key = self.field.text().strip()
        self.field.clear()
        self._tell("")
        self.offer.hide()
        store = StoreKey(provider=self._place.provider, key=key, in_file=not self._keyring)
        self._ask(store, lambda _: self._test(), lambda refusal: self._tell(refusal.message))

    def _test(self) -> None:
        """Ask the provider for its models with the key that was stored."""
        self._tell(self._texts("desktop.key.testing"), good=True)
        self._ask(
            CheckProvider(provider=self._place.provider),
            self._works,
            lambda refusal: self._tell(refusal.message),
        )

    def _works(self, models: tuple[str, ...]) -> None:
        self._tell(self._texts("desktop.key.works", count=len(models)), good=True)
        self.offer.offer(self._place.provider, models)

    def _tell(self, words: str, *, good: bool = False) -> None:
        self.tested.setText(words)
        self.tested.setVisible(bool(words))
        self.tested.setObjectName("statusWords" if good else "failureText")
        repolish(self.tested)
        if words:
            announce(self, words)
