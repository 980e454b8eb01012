"""A value that was changed on two devices, in the user's words."""

from datetime import UTC, datetime

import pytest

import assistant.engine.engine  # noqa: F401 - with it, every sort of values that is synced is known
from assistant.core.times.recurrence import Recurrence
from assistant.engine.domains.sync.difference_words import OTHER, shown_difference
from assistant.engine.domains.sync.shared_requests import request_text
from assistant.host.texts import load_texts
from assistant.storage.sync.differences import FILE, FOLDER, VALUE, SyncDifference
from assistant.storage.sync.inbox import SEEN
from assistant.storage.sync.tables import SYNCED
from assistant.storage.timers import Job, StoredTimer
from assistant.sync.values import ValueSource

AT = "2026-11-27T01:00:00+00:00"


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("setting/voice.speed", "1.5", ("setting", "말하는 속도", "1.5")),
        ("setting/voice.speed", "", ("setting", "말하는 속도", "1.0")),
        (
            "project/p1",
            '{"made_at": "2026-11-27", "name": "휴가", "workspace": "default"}',
            ("project", "휴가", "휴가\n작업 공간: default"),
        ),
    ],
)
def test_a_value_is_shown_in_words(name: str, text: str, shown: tuple[str, str, str]) -> None:
    texts = load_texts("ko")
    ours, theirs = {"text": text}, {"text": ""}
    found = shown_difference(SyncDifference(id=1, at=AT, table=VALUE, name=name, ours=ours, theirs=theirs), texts)
    assert (found.what, found.name, found.ours) == shown
    assert found.theirs == ("1.0" if found.what == "setting" else "(없음)")


def test_of_a_request_the_words_the_time_and_the_pause_are_shown() -> None:
    now = datetime(2026, 11, 22, 15, 5, tzinfo=UTC)
    request = StoredTimer(
        id="r",
        name="할 일 읽어 줘",
        language="ko",
        duration_s=60.0,
        due_at=now,
        created_at=now,
        repeats=Recurrence.parse("DTSTART:20261122T080000\nRRULE:FREQ=DAILY"),
        job=Job(paused=True),
    )
    ours, theirs = {"text": ""}, {"text": request_text(request)}
    difference = SyncDifference(id=1, at=now.isoformat(), table=VALUE, name="request/r", ours=ours, theirs=theirs)
    found = shown_difference(difference, load_texts("ko"))
    assert (found.what, found.name, found.ours) == ("request", "할 일 읽어 줘", "(없음)")
    assert found.theirs.splitlines() == ["할 일 읽어 줘", "매일 오전 8시", "멈춤"]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_there_are_words_for_all_that_can_differ_and_nothing_else(language: str) -> None:
    texts = load_texts(language)
    sources = [each for each in ValueSource.__subclasses__() if each.__module__.startswith("assistant.")]
    sorts = {str(each.sort) for each in sources if vars(each).get("shown", True)}
    assert sorts
    words = {each.removeprefix("sync.what.") for each in texts.keys if each.startswith("sync.what.")}
    assert words == {*SYNCED, FILE, FOLDER, *sorts, OTHER}


@pytest.mark.parametrize(
    ("table", "name", "form"),
    [
        (VALUE, "code/bot", {"text": '{"code": "12"}'}),
        (VALUE, "nothing", {"text": "x"}),
        ("recipes", "r1", {"title": "김치찌개", "spicy": 3}),
        ("conversations", "여행", {"colour": "red"}),
        ("people", "박", {"aliases": "no list"}),
        (VALUE, "project/p1", {"text": '{"name": "휴가"}'}),
        (VALUE, "request/r1", {"text": "[]"}),
        (VALUE, "request/r1", {"text": '{"name": "r"}'}),
        (VALUE, "setting/voice.speed", {"text": "{"}),
        (FILE, "memory/user.md", {"words": "x"}),
    ],
)
def test_what_this_sori_does_not_know_is_shown_as_it_is_kept(table: str, name: str, form: dict[str, object]) -> None:
    """As a version before has noted a code of Telegram, which is a difference no more."""
    difference = SyncDifference(id=1, at=AT, table=table, name=name, ours=form, theirs={})
    found = shown_difference(difference, load_texts("ko"))
    assert (found.what, found.name, found.theirs) == ("other", name, "(없음)")
    assert all(str(each) in found.ours for each in form.values())


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_column_that_differs_has_words_and_no_form_shows_how_it_is_stored(language: str) -> None:
    texts = load_texts(language)
    stored = {
        "aliases": '["어무이"]',
        "accounts": '[{"bank": "국민", "number": "1", "holder": "박"}]',
        "deleted_at": "",
    }
    for table, columns in SEEN.items():
        ours = {name: stored.get(name, name) for name in columns}
        theirs = {name: "2026-11-27T07:39:26+00:00" if name == "deleted_at" else "" for name in columns}
        theirs |= {name: "[]" for name in ("aliases", "accounts") if name in columns}
        found = shown_difference(SyncDifference(id=1, at=AT, table=table, name="", ours=ours, theirs=theirs), texts)
        assert len(found.ours.splitlines()) == len([name for name in columns if name != "deleted_at"])
        assert not set(found.ours) & set('[]{}"')
        assert found.theirs == texts("sync.deleted" if "deleted_at" in columns else "sync.nothing")


def test_what_differs_of_a_person_stands_behind_its_heading() -> None:
    ours = {"phone": "010-1", "accounts": '[{"bank": "국민", "number": "1-2", "holder": ""}]'}
    theirs = {"phone": "", "accounts": "[]"}
    found = shown_difference(
        SyncDifference(id=1, at=AT, table="people", name="박영희", ours=ours, theirs=theirs), load_texts("ko")
    )
    assert (found.name, found.ours, found.theirs) == ("박영희", "전화번호: 010-1\n계좌: 국민 1-2", "(없음)")


def test_what_is_still_there_and_only_deleted_elsewhere_is_told_so() -> None:
    found = shown_difference(
        SyncDifference(id=1, at=AT, table="people", name="", ours={"deleted_at": ""}, theirs={"deleted_at": AT}),
        load_texts("en"),
    )
    assert (found.ours, found.theirs) == ("(not deleted)", "(deleted)")


def test_a_prompt_is_called_by_its_language_and_only_its_words_are_shown() -> None:
    ours, theirs = {"text": "길게\n답해"}, {"text": ""}
    found = shown_difference(
        SyncDifference(id=1, at=AT, table="base_prompts", name="ko", ours=ours, theirs=theirs), load_texts("en")
    )
    assert (found.name, found.ours, found.theirs) == ("한국어", "길게\n답해", "(nothing)")


def test_of_a_project_that_is_chosen_the_name_is_shown() -> None:
    difference = SyncDifference(
        id=1, at=AT, table="conversations", name="여행", ours={"project": "01a2"}, theirs={"project": "01a3"}
    )
    found = shown_difference(difference, load_texts("ko"), {"01a2": "논문"})
    assert (found.ours, found.theirs) == ("프로젝트: 논문", "프로젝트: ?")


@pytest.mark.parametrize(
    ("language", "stays", "deleted"), [("ko", "전체가 남아", "(지움)"), ("en", "all of it", "(deleted)")]
)
def test_a_folder_that_was_removed_and_changed_is_told_with_its_files(language: str, stays: str, deleted: str) -> None:
    name, files = "workspaces/default/agents/cook", "agent.toml\npersona.md"
    difference = SyncDifference(id=1, at=AT, table=FOLDER, name=name, ours={"text": files}, theirs={"text": ""})
    found = shown_difference(difference, load_texts(language))
    assert (found.what, found.name, found.theirs) == (FOLDER, name, deleted)
    head, _, listed = found.ours.partition("\n")
    assert stays in head
    assert listed == files
