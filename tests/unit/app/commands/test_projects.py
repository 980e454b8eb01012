"""The commands of projects wait for files, and say why when there is nothing to wait for."""

from dataclasses import replace
from typing import Any

import pytest

from assistant.app.commands.projects.projects import until_read
from assistant.core.errors import StorageError
from assistant.core.knowledge.files import HeldUp, Project
from assistant.core.settings import Language
from assistant.core.texts import Texts

PROJECT = Project(id="p", name="회사", workspace="default", files=3)
FULL = HeldUp(key="error.storage_full", path="/home/me/knowledge.db", detail="database or disk is full")


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_full_disk_is_told_in_place_of_a_silent_wait(
    all_texts: dict[Language, Texts], capsys: pytest.CaptureFixture[str], language: Language
) -> None:
    async def ask(_: object) -> Any:
        return replace(PROJECT, waiting=2, held=FULL)

    with pytest.raises(StorageError) as failure:
        await until_read(ask, "p", all_texts[language])
    assert (failure.value.message_key, failure.value.path) == ("error.storage_full", "/home/me/knowledge.db")
    told = capsys.readouterr()
    assert "2" in told.err
    assert "회사" in told.err
    assert not told.out


async def test_a_project_that_is_read_is_not_waited_for(all_texts: dict[Language, Texts]) -> None:
    async def ask(_: object) -> Any:
        return PROJECT

    assert await until_read(ask, "p", all_texts["ko"]) is PROJECT
