import pytest

from assistant.speech.stt.decoding.likely_words import MOST_PROPOSALS, Proposal, proposals
from assistant.speech.stt.decoding.rescoring import LEAST_ALLOWED, Fit, best


def texts(heard: str, *words: str, language: str = "ko", settled: int = 0) -> list[str]:
    return [each.text for each in proposals(heard, words, language=language, settled=settled)]


@pytest.mark.parametrize(
    ("heard", "word", "proposed"),
    [
        ("민수한테 메시지를 보내 줘.", "민서", "민서한테 메시지를 보내 줘."),
        ("또 치 음악 틀어 줘.", "도치", "도치 음악 틀어 줘."),
        ("본당으로 가는 버스가 있어?", "분당", "분당으로 가는 버스가 있어?"),
        ("단빈은 언제 와?", "담비", "담비는 언제 와?"),
        ("연필과 지오개를 사 줘.", "지우개", "연필과 지우개를 사 줘."),
    ],
)
def test_a_word_that_sounds_almost_alike_is_proposed(heard: str, word: str, proposed: str) -> None:
    assert proposed in texts(heard, word)


def test_english_words_are_proposed_in_place_of_several() -> None:
    heard = "Add combat you to the shopping list."
    assert "Add kombucha to the shopping list." in texts(heard, "kombucha", language="en")
    assert texts(heard, "콤부차", language="en") == []


@pytest.mark.parametrize("word", ["지하철", "보일러", "thermostat", "Jarvis"])
def test_a_word_that_sounds_otherwise_is_not_proposed(word: str) -> None:
    assert texts("거실 창문을 닫아 줘.", word) == []


def test_nothing_is_proposed_in_place_of_a_likely_word() -> None:
    assert texts("민서한테 메시지를 보내 줘.", "민서", "민수") == []
    assert texts("김민서, 어디야?", "김민서", "김민수") == []


def test_settled_words_stay() -> None:
    heard = "민수한테 민수의 사진을 보내 줘."
    found = texts(heard, "민서", settled=len("민수한테"))
    assert "민수한테 민서의 사진을 보내 줘." in found
    assert all(each.startswith("민수한테 ") for each in found)
    assert texts(heard, "민서", settled=len(heard)) == []


def test_signs_are_kept() -> None:
    assert texts("치훈, 전화번호가 뭐야?", "지훈") == ["지훈, 전화번호가 뭐야?"]


def test_the_same_word_in_other_letters_is_no_proposal() -> None:
    assert texts("A double-shot Americano", "americano", language="en") == []


def test_the_nearest_of_many_are_proposed() -> None:
    found = proposals("민수 밥", [f"민{each}" for each in "서소세시사순신선산손"], language="ko")
    assert len(found) == MOST_PROPOSALS
    assert [each.share for each in found] == sorted(each.share for each in found)


def test_a_noun_that_is_longer_by_a_syllable_may_be_the_noun_and_another_word() -> None:
    assert {"모든 불 다 파랗게 해 줘.", "모든 불도 파랗게 해 줘."} <= set(texts("모든 불닭 파랗게 해 줘.", "불"))
    assert texts("모든 불도 파랗게 해 줘.", "불") == []


def test_the_best_proposal_that_fits_the_sound_is_chosen() -> None:
    first, second = (Proposal(text=each, word=each, heard="민수", share=0.2) for each in ("민서", "민소"))
    sure = LEAST_ALLOWED
    assert best((first, second), (Fit(sure - 1, 0), Fit(sure - 2, 0))) is second
    assert best((first, second), (Fit(sure, 0), Fit(sure + 1, 0))) is first
    assert best((first, second), (Fit(sure + 0.1, 0), Fit(sure + 1, 0))) is None


def test_words_of_which_the_decoder_was_unsure_give_way_sooner() -> None:
    proposal = Proposal(text="민서", word="민서", heard="민수", share=0.2)
    loss = LEAST_ALLOWED + 1
    assert best((proposal,), (Fit(loss, 0.1),)) is None
    assert best((proposal,), (Fit(loss, 1.0),)) is proposal
    assert best((proposal,), (Fit(20.0, 100.0),)) is None


def test_what_did_not_fit_before_is_not_proposed_again() -> None:
    found = proposals("민수한테 전화해 줘", ["민서"], language="ko")
    assert found
    assert proposals("민수한테 다시 전화해 줘", ["민서"], language="ko", refused={each.change for each in found}) == ()
