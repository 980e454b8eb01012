"""What a chat may do: safe tools alone, also in guided flows (G-02)."""

from assistant.core.records.people import BankAccount, Person
from assistant.core.service.requests.people import AddPerson
from tests.e2e.telegram.conftest import FACT, Sori

ONLY_IN_APP = "이 작업은 앱에서 직접 실행"


def test_a_sensitive_tool_does_not_run_and_the_chat_is_told_where_it_can(sori: Sori) -> None:
    (told,) = sori.ask("부탁 하나 할게요, 들어주세요")
    assert ONLY_IN_APP in told
    results = [each for chat in sori.model.chats for each in chat.body["messages"] if each["role"] == "tool"]
    assert results
    assert not any("기억했" in str(each["content"]) and FACT in str(each["content"]) for each in results)


def test_a_transfer_is_refused_and_a_yes_to_it_does_nothing(sori: Sori) -> None:
    account = BankAccount(bank="신한은행", number="110-123-456789", holder="김영희")
    sori.client.result(AddPerson(kept=Person(name="김영희", relation="엄마", accounts=(account,))))
    (told,) = sori.ask("엄마한테 오만 원 보내 줘")
    assert ONLY_IN_APP in told
    assert sori.telegram.sent(sori.chat)[-1].buttons == ()
    (after,) = sori.ask("응")
    assert "보냈" not in after


def test_the_names_of_commands_and_tools_are_not_shown_as_progress(sori: Sori) -> None:
    sori.ask("그만")
    sori.ask("부탁 하나 더 할게요")
    shown = [text for each in sori.telegram.sent(sori.chat)[-2:] for text in each.texts]
    assert not any(name in text for name in ("Stop", "remember") for text in shown)
