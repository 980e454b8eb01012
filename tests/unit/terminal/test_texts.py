"""Every text that the terminal names exists in both languages."""

import re

import pytest

from assistant.core.settings import Language
from assistant.host.places import PROJECT
from assistant.host.texts import load_texts

NAMED = re.compile(r'["\']((?:console|notice|memory|mcp|conversations|chat|desktop)\.[a-z_]+(?:\.[a-z_]+)*)["\']')


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_key_in_use_has_a_text(language: Language) -> None:
    paths = [*(PROJECT / "assistant" / "terminal").rglob("*.py")]
    wanted = {key for path in paths for key in NAMED.findall(path.read_text(encoding="utf-8"))}
    assert len(wanted) > 50
    assert {key for key in wanted if key not in load_texts(language)} == set()
