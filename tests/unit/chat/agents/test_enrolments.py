"""The enrolments of the user and of Sori's own voices, as files of agents."""

from pathlib import Path

import numpy as np
import pytest

from assistant.agent.workspaces.directory import Workspaces
from assistant.chat.agents.enrolments import Enrolments, read_enrolments
from assistant.core.records.agents import AgentId
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.speech.text.names.likelihood import CERTAIN, LEAST, POSSIBLE
from assistant.speech.wake.likeness import EnrolledSound, Steps, normalised
from assistant.speech.wake.likeness import packed as packed_sound
from assistant.speech.wake.own_words import OwnWords, packed
from tests.fakes.clock import FakeClock

TORI, BORI, FELIX = AgentId(name="tori"), AgentId(name="bori"), AgentId(name="felix")
PHRASES = {TORI: "토리야", BORI: "가을아", FELIX: "Felix"}


def word(seed: int) -> Steps:
    return normalised(np.random.default_rng(seed).standard_normal((5, 96)).astype(np.float32))


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    workspaces = Workspaces(tmp_path, FakeClock(), lambda: 2_000)
    for agent, phrase in PHRASES.items():
        workspaces.add_agent(agent, {"wake_phrase": phrase})
    return workspaces


def keep(workspaces: Workspaces, agent: AgentId, *takes: Steps, heard: tuple[str, ...] = ()) -> None:
    words = OwnWords(phrase=PHRASES[agent], takes=takes, heard=heard, made_from="")
    workspaces.keep_own_words(agent, packed(words))


def read(workspaces: Workspaces) -> Enrolments:
    return read_enrolments(workspaces, workspaces.wake_phrases("default"))


def onset(fits: dict[str, float], language: str = "ko") -> Weighed:
    return Weighed(transcript=Transcript(text="", language=language, samples=0), fits=fits)


def test_without_an_enrolment_only_certain_names_are_looked_at(workspaces: Workspaces) -> None:
    known = read(workspaces)
    assert known.least("ko") == CERTAIN
    assert not known.undecided(onset({"토리야": CERTAIN - 0.1}))
    assert known.spellings("ko") == ()


def test_soris_own_words_decide_down_to_their_limit(workspaces: Workspaces) -> None:
    keep(workspaces, TORI, word(1), word(2))
    known = read(workspaces)
    assert known.least("ko") == POSSIBLE
    assert known.compare(word(2), onset({"토리야": POSSIBLE})).resembling == {"토리야"}
    assert known.compare(word(3), onset({"토리야": POSSIBLE})).resembling == frozenset()
    assert known.compare(word(2), onset({"토리야": POSSIBLE - 0.1})).resembling == frozenset()


def test_the_words_of_another_name_that_are_nearer_forbid_the_call(workspaces: Workspaces) -> None:
    between = normalised(word(1) * np.float32(0.95) + word(2) * np.float32(0.35))
    keep(workspaces, TORI, between)
    heard = onset({"토리야": -8.0})
    assert read(workspaces).compare(word(1), heard).resembling == {"토리야"}
    keep(workspaces, BORI, word(1))
    assert read(workspaces).compare(word(1), heard).resembling == frozenset()


def test_a_latin_name_gains_nothing_while_korean_is_read(workspaces: Workspaces) -> None:
    keep(workspaces, FELIX, word(1), heard=("Bellisk",))
    known = read(workspaces)
    assert known.compare(word(1), onset({"Felix": -8.0}, "en")).resembling == {"Felix"}
    assert known.compare(word(1), onset({"Felix": -8.0}, "ko")).resembling == frozenset()
    assert (known.least("en"), known.least("ko")) == (POSSIBLE, CERTAIN)
    assert (len(known.spellings("en")), known.spellings("ko")) == (1, ())


def test_the_users_enrolment_counts_beside_them(workspaces: Workspaces) -> None:
    keep(workspaces, TORI, word(1))
    sound = EnrolledSound(phrase="토리야", takes=(word(2),), limit=0.1)
    workspaces.keep_wake_sound(TORI, packed_sound(sound))
    known = read(workspaces)
    assert known.least("ko") == POSSIBLE
    assert known.compare(word(2), onset({"토리야": POSSIBLE})).resembling == {"토리야"}
    assert known.compare(word(1), onset({"토리야": POSSIBLE})).resembling == {"토리야"}
    assert known.compare(word(1), onset({"토리야": POSSIBLE}, "en")).resembling == frozenset()
    assert known.compare(word(2), onset({"토리야": POSSIBLE}, "en")).resembling == {"토리야"}


def test_soris_own_words_doubt_only_a_name_of_which_nothing_else_is_known(workspaces: Workspaces) -> None:
    keep(workspaces, TORI, word(1))
    doubtful = onset({"토리야": LEAST})
    assert read(workspaces).doubts("토리야", doubtful)
    assert not read(workspaces).doubts("토리야", onset({"토리야": 0.0}))
    assert not read(workspaces).doubts("토리야", onset({"토리야": LEAST}, "en"))
    assert not read(workspaces).doubts("가을아", onset({"가을아": LEAST}))
    assert read(workspaces).compare(word(2), doubtful).unlike == {"토리야"}
    assert read(workspaces).compare(word(1), doubtful).unlike == frozenset()
    workspaces.keep_wake_sound(TORI, packed_sound(EnrolledSound(phrase="토리야", takes=(word(3),), limit=0.1)))
    assert not read(workspaces).doubts("토리야", doubtful), "the user enrolled it"
    assert read(workspaces).compare(word(2), doubtful).unlike == frozenset()


def test_soris_own_words_do_not_doubt_a_name_with_a_further_spelling(workspaces: Workspaces) -> None:
    keep(workspaces, TORI, word(1))
    phrases = [*workspaces.wake_phrases("default"), (TORI, "또리")]
    assert not read_enrolments(workspaces, phrases).doubts("토리야", onset({"토리야": LEAST}))


def test_spellings_are_told_apart_from_the_names_that_there_are_now(workspaces: Workspaces) -> None:
    keep(workspaces, TORI, word(1), heard=("포니아", "토리야"))
    assert read(workspaces).spellings("ko") == ((TORI, "포니아"),)
    workspaces.edit_agent(BORI, {"wake_phrase": "포니야"})
    assert read(workspaces).spellings("ko") == ()


@pytest.mark.parametrize("content", [b"something else", b""])
def test_a_damaged_file_is_no_enrolment(workspaces: Workspaces, content: bytes) -> None:
    workspaces.keep_own_words(TORI, content)
    assert not read(workspaces).words


def test_words_of_a_former_phrase_go_with_it(workspaces: Workspaces) -> None:
    keep(workspaces, TORI, word(1))
    kept = workspaces.own_words(TORI)
    workspaces.edit_agent(TORI, {"display_name": "토리"})
    assert workspaces.own_words(TORI) == kept
    workspaces.edit_agent(TORI, {"wake_phrase": "초코야"})
    assert workspaces.own_words(TORI) == b""
    workspaces.keep_own_words(TORI, kept)
    assert not read(workspaces).words, "a file that was copied here is not used"
    place = workspaces.remove_agent(TORI)
    assert (place / "own_words.npz").exists()
    assert not read(workspaces).words


def test_soris_own_words_do_not_doubt_a_name_that_its_user_enrolled_for_an_agent_elsewhere(
    workspaces: Workspaces,
) -> None:
    workspaces.add_workspace("work")
    elsewhere = AgentId(workspace="work", name="tori")
    workspaces.add_agent(elsewhere, {"wake_phrase": PHRASES[TORI]})
    keep(workspaces, TORI, word(1))
    doubtful = onset({"토리야": LEAST})
    assert read(workspaces).doubts("토리야", doubtful)
    workspaces.keep_wake_sound(elsewhere, packed_sound(EnrolledSound(phrase="토리야", takes=(word(3),), limit=0.1)))
    assert not read(workspaces).doubts("토리야", doubtful)
    assert read(workspaces).compare(word(3), doubtful).unlike == frozenset()
