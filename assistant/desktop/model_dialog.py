"""Which model thinks, honestly, and how to add a better one."""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from assistant.core.texts import Texts
from assistant.core.updates import ModelChosen
from assistant.desktop.copyable import Copyable, paragraph
from assistant.desktop.model_examples import EXAMPLES, Example, key_command
from assistant.desktop.page_dialog import PageDialog


class ModelDialog(PageDialog):
    """Says which model is in use and shows what to write into the settings file for others.

    Args:
        texts: the user's language.
        home: where ``config.toml`` is.
        model: the model in use, ``None`` before it is known.
    """

    def __init__(self, texts: Texts, home: Path, model: ModelChosen | None, parent: QWidget | None = None) -> None:
        super().__init__(texts, texts("desktop.model.title"), home, parent)
        self.column.addWidget(paragraph(_standing(texts, model)))
        self.column.addWidget(paragraph(texts("desktop.model.how")))
        self.add_path(home / "config.toml")
        for example in EXAMPLES:
            self.column.addSpacing(10)
            self.column.addWidget(_lines(texts, example))
        self.column.addStretch(1)
        self.resize(560, 640)


class KeyDialog(PageDialog):
    """Says where an API key belongs.

    Args:
        texts: the user's language.
        home: where ``config.toml`` is.
        provider: the name of the provider that lacks one; empty where that is not known.
    """

    def __init__(self, texts: Texts, home: Path, provider: str, parent: QWidget | None = None) -> None:
        super().__init__(texts, texts("desktop.key.title"), home, parent)
        name = provider or texts("desktop.key.name")
        self.column.addWidget(paragraph(texts("desktop.key.intro", provider=name)))
        self.column.addSpacing(10)
        command = key_command(name)
        self.column.addWidget(Copyable(texts, texts("desktop.key.keyring"), texts("desktop.key.keyring_note"), command))
        self.column.addSpacing(10)
        variable = f'api_key_env = "{_variable(name)}"'
        note = texts("desktop.key.variable_note", provider=name, path=str(home / "config.toml"))
        self.column.addWidget(Copyable(texts, texts("desktop.key.variable"), note, variable))
        self.column.addStretch(1)
        self.resize(520, 460)


def _lines(texts: Texts, example: Example) -> Copyable:
    note = texts(f"desktop.model.{example.kind}_note")
    if example.key_name:
        note += " " + texts("desktop.model.key_note", command=key_command(example.key_name))
    return Copyable(texts, texts(f"desktop.model.{example.kind}_title"), note, example.lines)


def _standing(texts: Texts, model: ModelChosen | None) -> str:
    if model is None:
        return texts("desktop.model.none_note")
    key = "desktop.model.placeholder_note" if model.placeholder else "desktop.model.current_note"
    return texts(key, model=model.model, provider=model.provider)


def _variable(name: str) -> str:
    """The usual name of the environment variable with a provider's key."""
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return f"{letters.upper()}_API_KEY"
