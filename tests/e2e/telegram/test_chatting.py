"""Messages of a chat with the real engine: answered once, in order, formatted, with what went wrong told."""

from tests.e2e.telegram.conftest import Sori


def test_a_message_is_answered_with_its_markup(sori: Sori) -> None:
    assert sori.ask("안녕하세요, 처음 뵙겠습니다") == ["반갑습니다만, 무엇을 도와드릴까요?"]
    sent = sori.telegram.sent(sori.chat)[-1]
    assert sent.shown.shown("bold") == ["반갑습니다"]
    assert sent.texts[0] == "…"
