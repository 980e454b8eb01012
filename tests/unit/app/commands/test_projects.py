"""The commands of projects wait for files, and say why when there is nothing to wait for."""

from dataclasses import replace
from typing import TypeVar, cast

import pytest

from assistant.app.commands.projects.projects import until_read
from assistant.core.errors import StorageError
from assistant.core.knowledge.files import HeldUp, Project
from assistant.core.service.request import Request
from assistant.core.settings import Language
from assistant.core.texts import Texts

PROJECT = Project(id="p", name="회사", workspace="default", files=3)
FULL = HeldUp(key="error.storage_full", path="/home/me/knowledge.db", detail="database or disk is full")
R = TypeVar("R")


class _Answers:
    """An engine that answers each request with this project."""

    def __init__(self, project: Project) -> None:
        self._project = project

    async def __call__(self, request: Request[R]) -> R:
        return cast("R", self._project)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_full_disk_is_told_in_place_of_a_silent_wait(
    all_texts: dict[Language, Texts], capsys: pytest.CaptureFixture[str], language: Language
) -> None:
    with pytest.raises(StorageError) as failure:
        await until_read(_Answers(replace(PROJECT, waiting=2, held=FULL)), "p", all_texts[language])
    assert (failure.value.message_key, failure.value.path) == ("error.storage_full", "/home/me/knowledge.db")
    told = capsys.readouterr()
    assert "2" in told.err
    assert "회사" in told.err
    assert not told.out


async def test_a_project_that_is_read_is_not_waited_for(all_texts: dict[Language, Texts]) -> None:
    assert await until_read(_Answers(PROJECT), "p", all_texts["ko"]) is PROJECT
