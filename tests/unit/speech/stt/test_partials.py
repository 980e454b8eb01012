from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.speech.stt.partials import AGREED_S, FAR_AGREED_S, Partial, StablePrefix


def shown(texts: Sequence[str], every_s: float = AGREED_S) -> list[Partial]:
    """The partials of transcripts of which each covers so many seconds more."""
    prefix = StablePrefix()
    return [prefix.update(text, (number + 1) * every_s) for number, text in enumerate(texts)]


def test_nothing_is_settled_by_a_single_transcript() -> None:
    assert shown(["모든 불을 파란색으로"]) == [Partial(text="모든 불을 파란색으로", stable=0)]


def test_words_on_which_transcripts_of_enough_sound_agree_are_settled_but_not_the_newest() -> None:
    partials = shown(["모든 불을", "모든 불을 파란색으로 다", "모든 불을 파란색으로 다"])
    assert [each.settled for each in partials] == ["", "모든 불을", "모든 불을 파란색으로"]
    assert partials[1].text == "모든 불을 파란색으로 다"


def test_transcripts_of_nearly_the_same_sound_prove_little() -> None:
    partials = shown(["tonight I have", "can I have a", "can I have a", "can I have a"], every_s=0.1)
    assert [each.settled for each in partials] == [""] * 4


def test_a_word_far_behind_the_newest_ones_is_settled_sooner() -> None:
    long = "내일 아침 일곱 시에 깨워"
    assert shown([long, f"{long} 줘"], every_s=FAR_AGREED_S)[-1].settled == "내일 아침 일곱"
    assert shown([long, f"{long} 줘"])[-1].settled == "내일 아침 일곱 시에 깨워"


def test_all_transcripts_since_the_agreeing_one_must_agree() -> None:
    prefix = StablePrefix()
    prefix.update("can I have", 1.0)
    prefix.update("kenny have", 1.5)
    assert prefix.update("can I have a medium coffee please", 1.9).settled == ""


@pytest.mark.parametrize(
    ("one", "other", "settled"),
    [
        ("what time. Is it", "What time is it", "What time is"),
        ("숙박할 건데 호텔", "숙박할건데 호텔 디럭스", "숙박할건데 호텔"),
        ("the middle classes, and", "the middle classes and we", "the middle classes and"),
        ("Mr. Quilter is", "Mr Quilter is the", "Mr Quilter is"),
        ("싱글룸 2개로 예약", "싱글룸 두 개로 예약", "싱글룸"),
    ],
)
def test_case_punctuation_and_spaces_do_not_keep_words_from_settling(one: str, other: str, settled: str) -> None:
    assert shown([one, other])[-1].settled == settled


@pytest.mark.parametrize(
    ("before", "transcript", "after"),
    [
        # A transcript that lacks words takes none away.
        ("4명 숙박할 건데 호텔 디럭스룸은", "4명.", "4명 숙박할 건데 호텔 디럭스룸은"),
        ("내일 아침에 비가 올까", "비가 올까", "내일 아침에 비가 올까"),
        ("내일 아침에 비가 올까", "내일 비가 올까 아니면", "내일 아침에 비가 올까 아니면"),
        ("내일 아침에", "", "내일 아침에"),
        ("what time is it in Seoul", "what time", "what time is it in Seoul"),
        ("turn off the kitchen lights", "the kitchen lights please", "turn off the kitchen lights please"),
        ("set a timer for ten minutes", "set timer for ten minutes", "set a timer for ten minutes"),
        ("볼륨을 조금만 더 올려 줘", "네.", "볼륨을 조금만 더 올려 줘"),
        # Words are corrected where they stand.
        ("그난 일이죠.", "그는 이리저리 피하면서", "그는 이리저리 피하면서"),
        ("모든 불 다 탈한", "모든 불을 파란색으로", "모든 불을 파란색으로"),
        ("can I have a meat?", "can I have a medium", "can I have a medium"),
        ("싱글룸 두 개로", "싱글룸 2개로 예약은", "싱글룸 2개로 예약은"),
        ("tonight I have", "can I have a", "can I have a"),
        ("호텔 들었어요.", "호텔 디럭스룸은 다 찼다고", "호텔 디럭스룸은 다 찼다고"),
        # Half a character is none.
        ("호텔 디럭스룸은", "호텔 디럭스룸은 \ufffd", "호텔 디럭스룸은"),
        ("호텔", "호텔 디럭\ufffd", "호텔 디럭"),
    ],
)
def test_shown_words_are_corrected_in_place_and_never_lost(before: str, transcript: str, after: str) -> None:
    assert shown([before, transcript], every_s=0.1)[-1].text == after


def test_settled_words_stay_when_a_later_transcript_contradicts_them() -> None:
    partials = shown(["what time is", "what time is it", "watt thyme was it now"])
    assert partials[-1].settled == partials[-2].settled == "what time is"
    assert partials[-1].text == "what time is it now"


def test_a_word_that_was_kept_but_is_in_no_transcript_any_more_goes_when_the_words_around_it_are_settled() -> None:
    partials = shown(["가 나 다", "가 다 라", "가 다 라 마"])
    assert [each.text for each in partials] == ["가 나 다", "가 나 다 라", "가 다 라 마"]


@given(
    st.lists(st.lists(st.sampled_from(["가", "나", "다", "a", "B.", "b c", "\ufffd"]), max_size=6).map(" ".join)),
    st.sampled_from([0.2, 0.5, 1.0]),
)
def test_what_is_settled_never_changes_and_only_grows(texts: list[str], every_s: float) -> None:
    settled = ""
    for partial in shown(texts, every_s):
        assert partial.settled.startswith(settled)
        assert partial.text.startswith(partial.settled)
        assert "\ufffd" not in partial.text
        settled = partial.settled


def test_a_comma_after_a_settled_word_does_not_change_it() -> None:
    prefix = StablePrefix()
    prefix.update("the middle classes and we", 1.0)
    prefix.update("the middle classes and we are", 2.0)
    assert prefix.settled == "the middle classes and we"
    assert prefix.spelled("the middle classes, and we are glad.") == "the middle classes and we are glad."
    assert prefix.spelled("a middle class") == "a middle class"
