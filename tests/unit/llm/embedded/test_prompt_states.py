"""The files that hold what the embedded server has read."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.llm.embedded.prompt_states import (
    RESERVE_BYTES,
    SYSTEM,
    PromptStates,
    StateKey,
    can_own,
    file_fingerprint,
    fingerprint,
)

KEY = StateKey(owner="conversation", model=fingerprint("model"), text=fingerprint("prompt"))


def states_in(folder: Path, most: int = 8, most_bytes: int = 1_000_000) -> PromptStates:
    return PromptStates(folder / "states", most=most, most_bytes=most_bytes)


def save(states: PromptStates, key: StateKey = KEY, content: bytes = b"state") -> Path:
    part = states.part(len(content))
    (states.folder / part).write_bytes(content)
    states.admit(part, key, len(content))
    (path,) = [path for path in states.folder.iterdir() if path.name.startswith(f"{key.owner}.{key.model}")]
    return path


def names(states: PromptStates) -> list[str]:
    return sorted(path.name.partition(".")[0] for path in states.folder.iterdir())


def test_a_saved_state_is_found_again(tmp_path: Path) -> None:
    path = save(states_in(tmp_path))
    assert states_in(tmp_path).find(KEY) == path
    assert path.read_bytes() == b"state"


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = save(states_in(tmp_path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_another_models_state_is_not_found(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    save(states)
    assert states.find(replace(KEY, model=fingerprint("another"))) is None


@pytest.mark.parametrize("damaged", [b"stat", b"State", b""])
def test_a_damaged_state_is_removed_instead_of_used(tmp_path: Path, damaged: bytes) -> None:
    states = states_in(tmp_path)
    path = save(states, content=b"state")
    path.write_bytes(damaged)
    assert states.find(KEY) is None
    assert not path.exists()


def test_a_new_conversation_finds_the_state_of_the_same_system_prompt(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    other = save(states)
    new = replace(KEY, owner="new")
    assert states.find(new) == other
    alone = save(states, replace(KEY, owner=SYSTEM))
    assert states.find(new) == alone
    assert states.find(new, own=True) is None


def test_a_conversation_prefers_its_own_state_and_takes_an_older_prompts_last(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    own, system = save(states), save(states, replace(KEY, owner=SYSTEM))
    assert states.find(KEY) == own
    today = replace(KEY, text=fingerprint("prompt of today"))
    assert states.find(today) == own
    assert states.find(replace(today, owner="new")) == system


def test_a_conversation_keeps_its_newest_state_only(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    save(states)
    newer = save(states, replace(KEY, text=fingerprint("longer")), b"more")
    assert list(states.folder.iterdir()) == [newer]


def test_the_number_of_states_is_bounded_and_the_least_recently_used_goes(tmp_path: Path) -> None:
    states = states_in(tmp_path, most=2)
    for age, owner in ((30, "first"), (20, "second")):
        path = save(states, replace(KEY, owner=owner))
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age))
    states.find(replace(KEY, owner="first"))
    save(states, replace(KEY, owner="third"))
    assert names(states) == ["first", "third"]


def test_their_bytes_are_bounded(tmp_path: Path) -> None:
    states = states_in(tmp_path, most_bytes=10)
    for age, owner in ((30, "first"), (20, "second")):
        path = save(states, replace(KEY, owner=owner), b"12345")
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age))
    save(states, replace(KEY, owner="third"), b"123")
    assert names(states) == ["second", "third"]


def test_a_part_that_is_not_whole_is_not_taken(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    part = states.part(5)
    (states.folder / part).write_bytes(b"sta")
    with pytest.raises(OSError, match="3 of 5 bytes"):
        states.admit(part, KEY, 5)
    assert names(states) == []


def test_what_was_half_written_when_the_process_was_killed_is_never_found_and_is_swept(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    (states.folder / states.part(5)).write_bytes(b"sta")
    afterwards = states_in(tmp_path)
    assert afterwards.find(KEY) is None
    afterwards.sweep({"conversation"}, alone=False)
    assert len(names(afterwards)) == 1
    afterwards.sweep({"conversation"}, alone=True)
    assert names(afterwards) == []


def test_a_part_that_was_abandoned_long_ago_is_swept_beside_another_process(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    part = states.folder / states.part(5)
    part.write_bytes(b"sta")
    os.utime(part, (0, 0))
    states.sweep((), alone=False)
    assert names(states) == []


def test_foreign_files_are_swept(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    save(states)
    (states.folder / "conversation.bin").write_bytes(b"GGSQ")
    states.sweep({"conversation"}, alone=True)
    assert names(states) == ["conversation"]


def test_states_of_conversations_that_are_gone_are_swept_and_the_system_prompts_stays(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    for owner in ("here", "gone", SYSTEM):
        save(states, replace(KEY, owner=owner))
    states.sweep({"here"}, alone=False)
    assert names(states) == ["here", SYSTEM]


def test_forgetting_a_conversation_removes_its_states_of_every_model(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    save(states)
    save(states, replace(KEY, model=fingerprint("another")))
    save(states, replace(KEY, owner="other"))
    states.forget("conversation")
    assert names(states) == ["other"]


def test_switched_off_everything_is_swept(tmp_path: Path) -> None:
    save(states_in(tmp_path))
    off = states_in(tmp_path, most=0)
    assert not off.enabled
    off.sweep({"conversation"}, alone=True)
    assert names(off) == []


def test_nothing_is_begun_on_a_disk_that_is_almost_full(tmp_path: Path) -> None:
    states = PromptStates(tmp_path, most=8, most_bytes=1000, free_bytes=lambda _: RESERVE_BYTES + 9)
    assert states.part(9)
    with pytest.raises(OSError, match="256 MB"):
        states.part(10)


def test_a_folder_that_is_not_there_has_no_states(tmp_path: Path) -> None:
    states = states_in(tmp_path)
    assert states.find(KEY) is None
    states.sweep((), alone=True)
    assert not states.folder.exists()


@pytest.mark.parametrize(
    ("conversation", "possible"),
    [
        ("0f3c", True),
        ("a-b_c", True),
        ("../etc", False),
        ("a.b", False),
        ("", False),
        ("system", False),
        ("하나", False),
    ],
)
def test_only_plain_ids_stand_in_a_files_name(conversation: str, possible: bool) -> None:
    assert can_own(conversation) is possible


def test_a_model_file_is_told_from_one_that_took_its_place(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    first = file_fingerprint(file, "1")
    assert first == file_fingerprint(file, "1") != file_fingerprint(file, "2")
    file.write_bytes(b"GGUF and more")
    assert file_fingerprint(file, "1") != first
