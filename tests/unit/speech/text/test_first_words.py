import pytest

from assistant.speech.text.first_words import MOST_WEIGHT, growing_parts


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("가장 가까운 약국은 걸어서 오 분 거리에 있습니다.", "가장 가까운 약국은"),
        ("내일은 대체로 맑고, 낮 기온은 이십 도까지 오르겠습니다.", "내일은 대체로 맑고,"),
        ("서울에 비가 내리고 있으니 우산을 들고 나가시는 것이 좋을 것 같습니다.", "서울에 비가"),
        ("The nearest pharmacy that is open now is five minutes away.", "The nearest pharmacy"),
    ],
)
def test_a_long_sentence_is_cut_where_a_reader_takes_a_breath(sentence: str, first: str) -> None:
    parts = growing_parts(sentence)
    assert parts[0] == first
    assert " ".join(parts) == sentence


@pytest.mark.parametrize("sentence", ["네, 알겠습니다.", "Yes, I will do that.", "가" * MOST_WEIGHT])
def test_what_is_short_or_has_no_place_to_cut_stays_whole(sentence: str) -> None:
    assert growing_parts(sentence) == [sentence]


def test_nothing_has_no_parts() -> None:
    assert growing_parts("") == []


def test_each_part_gives_time_for_a_longer_one() -> None:
    sentence = (
        "저는 지금 날씨를 알려 드리고, 뉴스를 읽어 드리고, 알람을 맞춰 드리고, 메모를 적어 드리고, "
        "음악을 틀어 드리고, 일정을 챙겨 드리고, 메일을 정리해 드릴 수 있습니다."
    )
    parts = growing_parts(sentence)
    assert " ".join(parts) == sentence
    assert [len(part) for part in parts] == sorted(len(part) for part in parts)
    assert len(parts) >= 3
