"""Saves what a page shows as a file that the user chooses."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from PySide6.QtWidgets import QPushButton

from assistant.desktop.records.records_part import RecordsPart
from assistant.desktop.saving import save_as


def export_button(part: RecordsPart, records: Callable[[], Sequence[Any]], name: str) -> QPushButton:
    """Add a button that saves records as JSON.

    Args:
        part: gets the button, and tells where the file is.
        records: gives the records when the button is pressed.
        name: the name of the file that is proposed.
    """

    def export() -> None:
        told = json.dumps([asdict(each) for each in records()], ensure_ascii=False, indent=1)
        save_as(part.texts, name, told.encode, part, part.told.tell)

    button = QPushButton(part.texts("desktop.records.export"))
    button.setAutoDefault(False)
    button.clicked.connect(export)
    part.bar.addWidget(button)
    return button
