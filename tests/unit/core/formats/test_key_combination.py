"""Combinations of keys for shortcuts (V-21)."""

import pytest

from assistant.core.formats.key_combination import read_combination


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ctrl+alt+space", "Ctrl+Alt+Space"),
        (" Shift + CTRL+j ", "Ctrl+Shift+J"),
        ("super+1", "Super+1"),
        ("f9", "F9"),
        ("shift+F12", "Shift+F12"),
    ],
)
def test_a_combination_is_read_as_it_is_written(text: str, shown: str) -> None:
    assert str(read_combination(text)) == shown


@pytest.mark.parametrize(
    "text", ["", "j", "shift+j", "ctrl", "ctrl+", "ctrl+ctrl+j", "ctrl+f13", "hyper+j", "ctrl+jj", "ctrl+alt+가"]
)
def test_what_would_hinder_typing_is_none(text: str) -> None:
    assert read_combination(text) is None
