import os
import unicodedata
from pathlib import Path

import pytest

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.errors import SoriError, StorageError
from assistant.core.permissions import Category
from assistant.core.records.agents import DEFAULT_AGENT, AgentId

COACH = AgentId(name="코치")
NEEDS_LINKS = pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")


def test_a_workspace_and_an_agent_are_there_without_any_file(workspaces: Workspaces) -> None:
    assert [each.name for each in workspaces.workspaces()] == ["default"]
    (own,) = workspaces.agents("default")
    assert (own.id, own.persona, own.problems) == (AgentId(), "", ())
    assert Category.SENSITIVE.value in own.file.permitted
    assert not workspaces.folder.exists()


def test_an_agent_is_its_files(workspaces: Workspaces) -> None:
    added = workspaces.add_agent(COACH, {"wake_phrase": "코치야"}, persona="달리기 코치다.", prompt="짧게 답한다.")
    assert (added.persona, added.prompt, added.file.wake_phrase) == ("달리기 코치다.", "짧게 답한다.", "코치야")
    (added.folder / "persona.md").write_text("수영 코치다.\n", "utf-8")
    (added.folder / "agent.toml").write_text('placement = "replace"', "utf-8")
    edited = workspaces.agent(COACH)
    assert (edited.persona, edited.file.placement, edited.file.wake_phrase) == ("수영 코치다.", "replace", "")


def test_a_folder_that_the_user_makes_is_an_agent(workspaces: Workspaces) -> None:
    folder = workspaces.folder / "집" / "agents" / unicodedata.normalize("NFD", "요리사")
    folder.mkdir(parents=True)
    (folder / "persona.md").write_text("\ufeff요리한다.", "utf-8")
    assert [each.name for each in workspaces.workspaces()] == ["default", "집"]
    assert workspaces.agent(AgentId(workspace="집", name="요리사")).persona == "요리한다."
    assert [each.id.name for each in workspaces.agents("집")] == [DEFAULT_AGENT, "요리사"]
    (folder / "persona.md").write_bytes("굽는다.\r\n볶는다.".encode("utf-16"))
    assert workspaces.agent(AgentId(workspace="집", name="요리사")).persona == "굽는다.\n볶는다."


def test_a_bad_file_is_named_with_its_line_and_the_rest_is_used(workspaces: Workspaces) -> None:
    agent = workspaces.add_agent(COACH, {}, persona="코치다.")
    (agent.folder / "agent.toml").write_text('voice = "v"\npermitted = ["all"]\n', "utf-8")
    (agent.folder / "prompt.md").write_bytes(b"one\ntwo \xff")
    read = workspaces.agent(COACH)
    assert [(each.path.name, each.error.line, each.error.problem) for each in read.problems] == [
        ("agent.toml", 2, "choice"),
        ("prompt.md", 2, "utf8"),
    ]
    assert (read.persona, read.prompt, read.file.permitted) == ("코치다.", "", ("safe",))


def test_the_default_agent_has_the_smallest_rights_when_its_file_cannot_be_read(workspaces: Workspaces) -> None:
    folder = workspaces.folder / "default" / "agents" / DEFAULT_AGENT
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text("permitted = [", "utf-8")
    assert workspaces.agent(AgentId()).file.permitted == ("safe",)


def test_a_text_is_cut_where_it_is_too_long(workspaces: Workspaces) -> None:
    agent = workspaces.add_agent(COACH, {}, persona="가\n" * 10_001)
    assert len(agent.persona) == 20_000
    assert [each.error.problem for each in agent.problems] == ["too_long"]


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "con", ""])
def test_no_name_leads_out_of_the_folder(workspaces: Workspaces, name: str) -> None:
    with pytest.raises(SoriError, match="cannot be a name"):
        workspaces.agent(AgentId(name=name))
    with pytest.raises(SoriError, match="cannot be a name"):
        workspaces.add_workspace(name)
    with pytest.raises(SoriError, match="cannot be a name"):
        workspaces.agent_memory(AgentId(workspace=name))


@NEEDS_LINKS
def test_no_link_leads_out_of_the_folder(workspaces: Workspaces, tmp_path: Path) -> None:
    agent = workspaces.add_agent(COACH, {})
    other = workspaces.add_agent(AgentId(name="other"), {}, persona="secret")
    (agent.folder / "persona.md").symlink_to(other.folder / "persona.md")
    (agent.folder / "memory.md").symlink_to(other.folder / "memory.md")
    (agent.folder.parent / "linked").symlink_to(other.folder)
    read = workspaces.agent(COACH)
    assert read.persona == ""
    assert [each.error.problem for each in read.problems] == ["link"]
    with pytest.raises(StorageError, match="link"):
        workspaces.agent_memory(COACH)
    assert "linked" not in [each.id.name for each in workspaces.agents("default")]
    with pytest.raises(StorageError, match="link"):
        workspaces.edit_agent(COACH, {}, persona="mine")


@NEEDS_LINKS
def test_the_whole_folder_may_lie_elsewhere(tmp_path: Path, workspaces: Workspaces) -> None:
    (tmp_path / "elsewhere").mkdir()
    workspaces.folder.symlink_to(tmp_path / "elsewhere")
    assert workspaces.add_agent(COACH, {}, persona="코치다.").persona == "코치다."


def test_a_wake_phrase_belongs_to_one_agent_of_a_workspace(workspaces: Workspaces) -> None:
    workspaces.add_agent(COACH, {"wake_phrase": "헤이 코치"})
    with pytest.raises(SoriError) as caught:
        workspaces.add_agent(AgentId(name="other"), {"wake_phrase": "헤이, 코치!"})
    assert caught.value.reason == "wake_phrase_taken"
    other = workspaces.add_agent(AgentId(name="other"), {})
    with pytest.raises(SoriError, match="wake phrase"):
        workspaces.edit_agent(other.id, {"wake_phrase": "헤이코치"})
    workspaces.add_workspace("집")
    workspaces.add_agent(AgentId(workspace="집", name="코치"), {"wake_phrase": "헤이 코치"})
    assert workspaces.wake_phrases("집") == (
        (AgentId(workspace="집", name="코치"), "헤이 코치"),
        (COACH, "헤이 코치"),
    )


@pytest.mark.parametrize(
    ("phrase", "reason"),
    [("고치야", "wake_phrase_alike"), ("Kochiya", "wake_phrase_alike"), ("🦔!", "wake_phrase_silent")],
)
def test_a_wake_phrase_that_cannot_be_told_apart_is_refused(workspaces: Workspaces, phrase: str, reason: str) -> None:
    workspaces.add_agent(COACH, {"wake_phrase": "코치야"})
    other = workspaces.add_agent(AgentId(name="other"), {"wake_phrase": "김비서"})
    with pytest.raises(SoriError) as caught:
        workspaces.edit_agent(other.id, {"wake_phrase": phrase})
    assert caught.value.reason == reason
    assert workspaces.agent(other.id).file.wake_phrase == "김비서"


def test_wake_phrases_that_sound_alike_in_files_may_be_kept_when_something_else_changes(workspaces: Workspaces) -> None:
    workspaces.add_agent(COACH, {"wake_phrase": "코치야"})
    other = workspaces.add_agent(AgentId(name="other"), {})
    (other.folder / "agent.toml").write_text('wake_phrase = "고치야"\n', "utf-8")
    assert workspaces.edit_agent(other.id, {"voice": "v"}).file.wake_phrase == "고치야"


def test_a_wake_phrase_that_two_files_give_is_the_first_agents(workspaces: Workspaces) -> None:
    for name in ("a", "b"):
        folder = workspaces.folder / "default" / "agents" / name
        folder.mkdir(parents=True)
        (folder / "agent.toml").write_text('# mine\nwake_phrase = "소리야"', "utf-8")
    assert workspaces.wake_phrases("default") == ((AgentId(name="a"), "소리야"),)
    (problem,) = workspaces.agents("default")[2].problems
    assert (problem.path.parent.name, problem.error.line, problem.error.problem) == ("b", 2, "wake_twice")


def test_an_agent_is_found_by_any_of_its_names(workspaces: Workspaces) -> None:
    workspaces.add_agent(AgentId(name="coach"), {"display_name": "달리기 코치", "wake_phrase": "코치님"})
    for words in ("coach", "Coach", "달리기코치", "코치님"):
        assert workspaces.find_agent("default", words).id.name == "coach"
    with pytest.raises(SoriError) as caught:
        workspaces.find_agent("default", "요리사")
    assert caught.value.values["known"] == "sori, 달리기 코치"
    workspaces.add_workspace("home", "우리 집")
    assert workspaces.find_workspace("우리집").name == "home"


def test_a_name_is_given_once(workspaces: Workspaces) -> None:
    workspaces.add_agent(AgentId(name="coach"), {})
    workspaces.add_workspace("home")
    for wanted in ("coach", "Coach", DEFAULT_AGENT):
        with pytest.raises(SoriError) as caught:
            workspaces.add_agent(AgentId(name=wanted), {})
        assert caught.value.reason == "name_taken"
    with pytest.raises(SoriError, match="taken"):
        workspaces.add_workspace("HOME")


def test_what_is_removed_is_set_aside_whole(workspaces: Workspaces) -> None:
    agent = workspaces.add_agent(COACH, {}, persona="코치다.")
    place = workspaces.remove_agent(COACH)
    assert not agent.folder.exists()
    assert (place / "persona.md").read_text("utf-8") == "코치다.\n"
    with pytest.raises(SoriError) as caught:
        workspaces.agent(COACH)
    assert caught.value.reason == "agent_unknown"
    assert [each.id.name for each in workspaces.agents("default")] == [DEFAULT_AGENT]
    with pytest.raises(SoriError):
        workspaces.remove_workspace("default")


def test_the_default_agent_is_not_removed_but_loses_its_files(workspaces: Workspaces) -> None:
    with pytest.raises(SoriError) as caught:
        workspaces.remove_agent(AgentId())
    assert caught.value.reason == "agent_stays"
    workspaces.edit_agent(AgentId(), {"display_name": "집사"})
    assert workspaces.remove_agent(AgentId()).is_dir()
    assert workspaces.agent(AgentId()).title == DEFAULT_AGENT


@pytest.mark.parametrize("broken", ["os.fsync", "pathlib.Path.rename", "pathlib.Path.replace", "tempfile.mkdtemp"])
def test_a_failure_at_any_step_of_adding_leaves_nothing(
    workspaces: Workspaces, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(broken, fail)
        with pytest.raises(StorageError, match="No space"):
            workspaces.add_agent(COACH, {}, persona="코치다.")
    assert [each.id.name for each in workspaces.agents("default")] == [DEFAULT_AGENT]
    agents = workspaces.folder / "default" / "agents"
    assert not agents.exists() or list(agents.iterdir()) == []


@pytest.mark.parametrize("broken", ["os.fsync", "pathlib.Path.replace"])
def test_a_failure_at_any_step_of_editing_leaves_the_old_file(
    workspaces: Workspaces, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    before = workspaces.add_agent(COACH, {"voice": "a"}, persona="코치다.")
    with monkeypatch.context() as patch:
        patch.setattr(broken, fail)
        with pytest.raises(StorageError):
            workspaces.edit_agent(COACH, {"voice": "b"})
        with pytest.raises(StorageError):
            workspaces.edit_agent(COACH, {}, persona="다른 사람이다.")
    assert workspaces.agent(COACH) == before
    assert sorted(each.name for each in before.folder.iterdir()) == ["agent.toml", "persona.md"]


def test_what_was_removed_comes_back_with_all_that_it_had(workspaces: Workspaces) -> None:
    workspaces.add_workspace("집")
    cook = AgentId(workspace="집", name="요리사")
    for wanted in (COACH, cook):
        workspaces.add_agent(wanted, {"voice": "v"}, persona="성격이다.", prompt="한다.")
    for wanted in (COACH, cook):
        place = workspaces.remove_agent(wanted)
        assert wanted not in [each.id for each in workspaces.agents(wanted.workspace)]
        assert workspaces.restore(place) == workspaces.agent(wanted).folder
        back = workspaces.agent(wanted)
        assert (back.persona, back.prompt, back.file.voice) == ("성격이다.", "한다.", "v")
    place = workspaces.remove_workspace("집")
    assert [each.name for each in workspaces.workspaces()] == ["default"]
    workspaces.restore(place)
    assert workspaces.agent(cook).persona == "성격이다."


def test_nothing_but_what_was_removed_is_brought_back(workspaces: Workspaces, tmp_path: Path) -> None:
    agent = workspaces.add_agent(COACH, {}, persona="하나")
    place = workspaces.remove_agent(COACH)
    outside = tmp_path / "elsewhere" / ".removed" / "코치 2026-01-01 000000"
    outside.mkdir(parents=True)
    sneaky = workspaces.folder / ".removed" / ".." / ".." / "elsewhere" / ".removed" / "코치 2026-01-01 000000"
    for wrong in (outside, sneaky, agent.folder, place.parent, place.with_name("nobody"), Path("/etc"), Path()):
        with pytest.raises(SoriError):
            workspaces.restore(wrong)
    assert outside.is_dir()
    workspaces.add_agent(COACH, {}, persona="둘")
    with pytest.raises(SoriError) as raised:
        workspaces.restore(place)
    assert raised.value.reason == "name_taken"
    assert workspaces.agent(COACH).persona == "둘", "the one that took the name stays"


@pytest.mark.parametrize("title", ["우리 집", "Home", "a/b: c", "집 🏠", "default 2"])
def test_a_workspace_gets_another_name_and_keeps_its_folder(workspaces: Workspaces, title: str) -> None:
    workspaces.add_workspace("집", "집")
    (workspaces.folder / "집" / "workspace.toml").write_text('# mine\nname = "집" # short\n', "utf-8")
    assert workspaces.rename_workspace("집", f" {title} ").title == title
    assert [each.name for each in workspaces.workspaces()] == ["default", "집"]
    assert "# mine" in (workspaces.folder / "집" / "workspace.toml").read_text("utf-8")
    assert workspaces.rename_workspace("default", "나").title == "나"


@pytest.mark.parametrize("title", ["", "   ", "학교", " 학교 "])
def test_a_name_that_is_empty_or_taken_is_refused(workspaces: Workspaces, title: str) -> None:
    workspaces.add_workspace("집")
    workspaces.add_workspace("학교")
    with pytest.raises(SoriError):
        workspaces.rename_workspace("집", title)
    assert workspaces.workspace("집").title == "집"
