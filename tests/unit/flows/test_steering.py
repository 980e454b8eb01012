"""The words by which a user comes back to a flow that waits."""

import pytest

from assistant.flows.steering import resumed

TITLES = {
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
