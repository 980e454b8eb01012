from hypothesis import given
from hypothesis import strategies as st

from assistant.speech.stt.partials import StablePrefix


def test_nothing_is_settled_by_a_single_answer() -> None:
    partial = StablePrefix().update("모든 불을 파란색으로")
    assert partial.text == "모든 불을 파란색으로"
    assert partial.stable == 0


def test_words_on_which_two_answers_agree_are_settled_but_not_the_newest() -> None:
    prefix = StablePrefix()
    prefix.update("모든 불을")
    partial = prefix.update("모든 불을 파란색으로 다")
    assert partial.settled == "모든 불을"
    assert partial.text == "모든 불을 파란색으로 다"
    assert prefix.update("모든 불을 파란색으로 다").settled == "모든 불을 파란색으로"


def test_settled_words_stay_when_a_later_answer_contradicts_them() -> None:
    prefix = StablePrefix()
    prefix.update("what time is")
    prefix.update("what time is it")
    partial = prefix.update("watt thyme was it now")
    assert partial.settled == "what time is"
    assert partial.text == "what time is it now"


def test_a_contradicting_answer_settles_nothing() -> None:
    prefix = StablePrefix()
    prefix.update("what time is")
    prefix.update("what time is it")
    before = prefix.settled
    prefix.update("watt thyme was it now please")
    assert prefix.settled == before


def test_case_and_closing_punctuation_do_not_keep_words_from_settling() -> None:
    prefix = StablePrefix()
    prefix.update("what time. Is")
    assert prefix.update("What time is it").settled == "What time is"


def test_an_answer_that_says_less_takes_nothing_back() -> None:
    prefix = StablePrefix()
    prefix.update("지금 몇 시야 알려")
    prefix.update("지금 몇 시야 알려 줘")
    partial = prefix.update("지금")
    assert partial.text.startswith("지금 몇 시야")
    assert prefix.update("").settled == "지금 몇 시야 알려"


def test_the_final_answer_settles_everything() -> None:
    prefix = StablePrefix()
    prefix.update("지금 몇")
    prefix.update("지금 몇 시")
    partial = prefix.finish("지금 몇 시야?")
    assert partial.text == "지금 몇 시야?"
    assert partial.stable == len(partial.text)


def test_another_utterance_begins_empty() -> None:
    prefix = StablePrefix()
    prefix.update("하나 둘 셋")
    prefix.update("하나 둘 셋")
    prefix.reset()
    assert prefix.settled == ""
    assert prefix.update("하나 둘 셋").stable == 0


@given(st.lists(st.lists(st.sampled_from(["가", "나", "다", "a", "B."]), max_size=6).map(" ".join), max_size=8))
def test_what_is_settled_never_changes_and_only_grows(answers: list[str]) -> None:
    prefix, settled = StablePrefix(), ""
    for answer in answers:
        partial = prefix.update(answer)
        assert partial.settled.startswith(settled)
        assert partial.text.startswith(partial.settled)
        settled = partial.settled


def test_a_comma_after_a_settled_word_does_not_change_it() -> None:
    prefix = StablePrefix()
    prefix.update("the middle classes")
    prefix.update("the middle classes and we")
    prefix.update("the middle classes and we are")
    assert prefix.settled == "the middle classes and we"
    assert prefix.spelled("the middle classes, and we are glad.") == "the middle classes and we are glad."


def test_a_transcript_that_begins_otherwise_is_not_changed() -> None:
    prefix = StablePrefix()
    prefix.update("the middle classes")
    prefix.update("the middle classes and")
    assert prefix.spelled("a middle class") == "a middle class"


def test_three_transcripts_can_be_asked_to_agree() -> None:
    prefix = StablePrefix(agreeing=3)
    prefix.update("tonight I have")
    assert prefix.update("can I have a medium").settled == ""
    assert prefix.update("can I have a medium double").settled == ""
    assert prefix.update("can I have a medium double shot").settled == "can I have a medium"
