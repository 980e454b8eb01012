from assistant.engine.recognition.likely_words import MOST_MESSAGES, MOST_NAMES, MOST_WORDS, likely_words, words_of


def test_names_come_before_the_words_of_the_newest_message() -> None:
    assert likely_words(["도치", " 라면  타이머 "], ["베란다 열림", "서재 닫힘"]) == (
        "도치",
        "라면 타이머",
        "베란다",
        "열림",
        "서재",
        "닫힘",
    )


def test_each_word_is_there_once() -> None:
    assert likely_words(["서재"], ["서재 조명", "조명 서재"]) == ("서재", "조명")


def test_a_korean_word_is_also_expected_without_its_particle() -> None:
    assert list(words_of("거실에서 불을 껐어요.")) == ["거실에서", "거실", "불을", "불", "껐어요"]


def test_short_latin_words_and_numbers_are_left_out() -> None:
    assert list(words_of("The lamp is at 2000 K, see Siobhan's note.")) == ["lamp", "Siobhan's", "note"]
    assert likely_words(["25", "—"], []) == ()


def test_there_are_not_too_many_words() -> None:
    names = [f"이름{each}번" for each in range(2 * MOST_NAMES)]
    messages = [" ".join(f"낱말{chr(ord('가') + 90 * message + each)}" for each in range(90)) for message in range(9)]
    found = likely_words(names, messages)
    assert len(found) == MOST_WORDS
    assert found[MOST_NAMES - 1].startswith("이름")
    assert found[MOST_NAMES] == "낱말가"


def test_old_messages_do_not_count() -> None:
    assert "오로라" not in likely_words([], [*["네"] * MOST_MESSAGES, "오로라"])
