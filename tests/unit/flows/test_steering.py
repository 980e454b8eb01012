"""The words by which a user leaves a flow for a while and comes back to it, and words that do neither."""

import pytest

from assistant.core.settings import Language
from assistant.flows.steering import is_yes, parking, resumed, taken_here

TITLES: dict[str, dict[Language, str]] = {
    "transfer": {"ko": "이체", "en": "transfer"},
    "drawing": {"ko": "그림", "en": "drawing"},
    "order": {"ko": "주문", "en": "order"},
}


@pytest.mark.parametrize(
    ("said", "service"),
    [
        ("이체 계속", "transfer"),
        ("이체 계속해 줘", "transfer"),
        ("아까 이체 계속할게", "transfer"),
        ("하던 이체 마저 하자", "transfer"),
        ("그 이체 다시 시작해 줘", "transfer"),
        ("미뤄 둔 이체를 이어서 해 줘", "transfer"),
        ("이 이체 계속", "transfer"),
        ("이체 다시 진행하자", "transfer"),
        ("그림 계속", "drawing"),
        ("아까 그 그림 이어서 하자", "drawing"),
        ("주문 이어서 해 주세요", "order"),
        ("아까 그거 계속", "transfer"),
        ("그거 마저 하자", "transfer"),
        ("계속", "transfer"),
        ("continue the transfer", "transfer"),
        ("let's go back to the drawing", "drawing"),
        ("resume my order please", "order"),
        ("carry on", "transfer"),
        ("체 계속", ""),
        ("림 계속", ""),
        ("이야기 계속해 줘", ""),
        ("그 노래 다시", ""),
        ("이체가 뭐야?", ""),
        ("continue the story", ""),
        ("go back to sleep", ""),
    ],
)
def test_only_the_name_of_what_waits_comes_back_to_it(said: str, service: str) -> None:
    assert resumed(said, TITLES, TITLES) == service


@pytest.mark.parametrize(
    ("said", "service"),
    [
        ("이체 여기서 이어서", "transfer"),
        ("그림을 여기서 계속해 줘", "drawing"),
        ("주문 이 컴퓨터에서 이어서 할게", "order"),
        ("여기서 이어서", "transfer"),
        ("continue transfer here", "transfer"),
        ("go on with my order on this computer please", "order"),
        ("continue here", "transfer"),
        ("이체 계속", ""),
        ("continue the transfer", ""),
        ("이야기 여기서 이어서 해 줘", ""),
        ("여기서 이체해 줘", ""),
        ("continue the story here", ""),
    ],
)
def test_only_words_that_say_so_want_a_flow_of_another_device_here(said: str, service: str) -> None:
    assert taken_here(said, TITLES, TITLES) == service
    assert not (service and resumed(said, TITLES, TITLES))


@pytest.mark.parametrize(
    ("said", "service"),
    [
        ("이체 계속", "transfer"),
        ("resume my order please", "order"),
        ("계속", ""),
        ("carry on", ""),
        ("그거 마저 하자", ""),
    ],
)
def test_words_that_name_nothing_come_back_to_no_flow_that_is_active(said: str, service: str) -> None:
    assert resumed(said, TITLES, TITLES, named=True) == service


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("그건 됐고, 오늘 날씨 어때?", "오늘 날씨 어때?"),
        ("그건 됐고 오늘 날씨 어때?", "오늘 날씨 어때?"),
        ("그거 나중에 하고 지금 몇 시야?", "지금 몇 시야?"),
        ("일단 미뤄 두고 음악 틀어 줘", "음악 틀어 줘"),
        ("나중에 하자", ""),
        ("이건 일단 미뤄 둬", ""),
        ("일단 놔둬 줘.", ""),
        ("이건 됐어", ""),
        ("later", ""),
        ("Let's do that later, what's the weather?", "what's the weather?"),
        ("not now", ""),
        ("leave it for now", ""),
        ("hold on, what time is it?", "what time is it?"),
        ("pause this and play some music", "play some music"),
        ("취소", None),
        ("나중에 보내 줘", None),
        ("내일로 미뤄 줘", None),
        ("됐어요?", None),
        ("됐어 보내 줘", None),
        ("Later today please", None),
        ("not now but at five", None),
        ("hold on to it", None),
        ("leave it on the table", None),
        ("응", None),
    ],
)
def test_only_words_that_leave_a_flow_leave_it(said: str, rest: str | None) -> None:
    found = parking(said)
    assert (None if found is None else found.rest) == rest


@pytest.mark.parametrize(
    ("said", "yes"),
    [
        ("응", True),
        ("네, 보내 줘", True),
        ("그래 해 줘", True),
        ("ㅇㅇ", True),
        ("Yes, go ahead.", True),
        ("ok send it", True),
        ("응?", False),
        ("네 근데 뭐였지", False),
        ("내일은?", False),
        ("아니", False),
        ("yes but later", False),
        ("", False),
    ],
)
def test_only_a_bare_yes_answers_what_was_said_before(said: str, yes: bool) -> None:
    assert is_yes(said) is yes
