"""What is on: microphone, the model that answers, recognition, voice, file search, the door for programs, telemetry."""

from urllib.parse import urlsplit

from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout
from typing_extensions import override

from assistant.core.display.words import OWN_SERVER, model_words
from assistant.core.service.requests.settings import ListSettings, SettingsList
from assistant.core.service.requests.voice import SessionStatus, SetMuted, ShowStatus
from assistant.core.updates import Missed, ModelChosen, SettingsChanged, Update, VoiceAvailable
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.records.records_part import PagePart

_ROWS = ("microphone", "model", "hearing", "voice", "files", "http", "phone", "telegram", "telemetry")
_SERVED = "openai"
"""The voice engine that asks a server."""


class StandingRow(QFrame):
    """One thing and whether it is on.

    Args:
        title: what it is.
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("setting")
        self.title = paragraph(title)
        self.title.setObjectName("title")
        self.standing = paragraph("")
        self.standing.setObjectName("hint")
        self.buttons = FlowLayout(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(4)
        column.addWidget(self.title)
        column.addWidget(self.standing)
        column.addLayout(self.buttons)

    def show_standing(self, words: str) -> None:
        """Show how it is."""
        self.standing.setText(words)
        self.setAccessibleName(f"{self.title.text()}: {words}")


class WhatIsOn(PagePart):
    """Tells what is on, each with a button for changing it."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "on")
        self.rows = {name: self._row(name) for name in _ROWS}
        self.mute = self._button("microphone", "mute", self._toggle_mute)
        self._button("model", "choose", lambda: needs.show("models"))
        self._button("hearing", "change", lambda: needs.show("settings", "voice.stt_model"))
        self._button("voice", "change", lambda: needs.show("settings", "voice.voice"))
        self._button("files", "change", lambda: needs.show("settings", "files.meanings"))
        self._button("http", "change", lambda: needs.show("settings", "http.enabled"))
        self._button("phone", "open_phone", lambda: needs.show("phone"))
        self._button("telegram", "open_telegram", lambda: needs.show("telegram"))
        self.column.addStretch(1)
        self._muted = False
        self.rows["telemetry"].show_standing(self.texts("desktop.on.no_telemetry"))
        self._show_model(needs.model())
        self._read()

    def _row(self, name: str) -> StandingRow:
        row = StandingRow(self.texts(f"desktop.on.{name}"))
        self.column.addWidget(row)
        return row

    def _button(self, row: str, name: str, clicked: object) -> QPushButton:
        button = QPushButton(self.texts(f"desktop.on.{name}"))
        button.setAutoDefault(False)
        button.setAccessibleName(f"{button.text()}: {self.rows[row].title.text()}")
        button.clicked.connect(clicked)
        self.rows[row].buttons.addWidget(button)
        return button

    @override
    def show_update(self, update: Update) -> None:
        if isinstance(update, VoiceAvailable):
            self._show_devices(update)
        elif isinstance(update, ModelChosen):
            self._show_model(update)
        elif isinstance(update, SettingsChanged | Missed):
            self._read()

    def _read(self) -> None:
        self.ask(ShowStatus(), self._show_status, self.refuse)
        self.ask(ListSettings(), self._show_settings, self.refuse)

    def _toggle_mute(self) -> None:
        self.ask(SetMuted(muted=not self._muted), lambda _: self._read(), self.refuse)

    def _show_status(self, status: SessionStatus) -> None:
        self._show_devices(status.devices)

    def _show_devices(self, devices: VoiceAvailable) -> None:
        self._muted = devices.muted
        there = bool(devices.microphone)
        key = "muted" if devices.muted else "listens" if there else "no_microphone"
        self.rows["microphone"].show_standing(self.texts(f"desktop.on.{key}", name=devices.microphone))
        self.mute.setText(self.texts("desktop.on.unmute" if devices.muted else "desktop.on.mute"))
        self.mute.setVisible(there or devices.muted)

    def _show_model(self, model: ModelChosen | None) -> None:
        if model is None:
            words = self.texts("desktop.model.none_note")
        else:
            key = "desktop.on.model_here" if model.provider == OWN_SERVER else "desktop.on.model_served"
            words = self.texts(key, model=model_words(self.texts, model.model, model.provider))
        self.rows["model"].show_standing(words)

    def _show_settings(self, listed: SettingsList) -> None:
        value = {each.name: each.in_force for each in listed.settings}
        served = str(value.get("voice.stt_model") or "")
        key = "desktop.on.heard_elsewhere" if served else "desktop.on.heard_here"
        self.rows["hearing"].show_standing(self.texts(key, model=served))
        elsewhere = value.get("voice.tts") == _SERVED
        self.rows["voice"].show_standing(self.texts(f"desktop.on.spoken_{'elsewhere' if elsewhere else 'here'}"))
        index = urlsplit(str(value.get("files.index") or "")).hostname or ""
        servers = list(filter(None, (str(value.get("files.meanings") or ""), index)))
        key = "desktop.on.found_elsewhere" if servers else "desktop.on.found_here"
        self.rows["files"].show_standing(self.texts(key, servers=", ".join(servers)))
        open_ = bool(value.get("http.enabled"))
        port = value.get("http.port", "")
        self.rows["http"].show_standing(self.texts(f"desktop.on.http_{'open' if open_ else 'closed'}", port=port))
        for door in ("phone", "telegram"):
            on = bool(value.get(f"{door}.enabled"))
            self.rows[door].show_standing(self.texts(f"desktop.on.{door}_{'on' if on else 'off'}"))
