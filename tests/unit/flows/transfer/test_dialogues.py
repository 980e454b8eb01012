"""Whole dialogues about transfers, on the real engine, gate and simulated bank."""

from pathlib import Path

import pytest

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Language
from assistant.flows.events import EventType
from assistant.flows.handler import ElsewhereError
from assistant.flows.services.transfer.bank import BankFault
from assistant.flows.services.transfer.flows.subjects import wants_transfer
from tests.unit.flows.transfer.dialogue import Dialogue, operations, words

DOWN = SoriError(ErrorCode.NETWORK, "down")


@pytest.fixture
def talk(tmp_path: Path) -> Dialogue:
    return Dialogue(tmp_path)


async def test_a_transfer_is_confirmed_and_sent_without_any_model(talk: Dialogue) -> None:
    asked = await talk.say("엄마한테 오만 원 보내 줘")
    assert "엄마에게 50,000원을 오늘 보낼까요? 모의 은행이에요. 받는 계좌: 국민은행 100-1" in asked
    done = await talk.say("응")
    assert done == "엄마에게 50,000원을 보냈어요. 모의 은행 잔액은 950,000원이에요."
    assert (talk.sent, talk.model.asked) == ([("엄마", 50_000)], [])


async def test_three_transfers_with_a_correction_in_the_middle(talk: Dialogue) -> None:
    await talk.say("엄마한테 삼만 원 아빠한테 오만 원 동생한테 만 원 보내 줘")
    assert "3건 중 2번째예요. 아빠에게 50,000원" in await talk.say("네")
    assert "아빠에게 40,000원" in await talk.say("아니 사만 원으로")
    assert "3건 중 3번째예요." in await talk.say("그래 보내")
    await talk.say("응")
    assert talk.sent == [("엄마", 30_000), ("아빠", 40_000), ("동생", 10_000)]
    assert talk.stage == "EXECUTED"


@pytest.mark.parametrize("message", ["음", "네 근데 내일", "응?", "보내지 말고 기다려", "글쎄", "몰라", "아니"])
async def test_what_is_no_yes_sends_nothing_and_asks_no_model(talk: Dialogue, message: str) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    await talk.say(message)
    assert (talk.stage, talk.sent, talk.model.asked) == ("READY", [], [])


async def test_a_click_on_a_former_question_confirms_nothing(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    old = talk.last["confirm"]["digest"]
    await talk.say("사만 원으로")
    await talk.say("", decision="confirm", digest=old)
    assert (talk.stage, talk.sent) == ("READY", [])
    await talk.say("", decision="confirm", digest=talk.last["confirm"]["digest"])
    assert talk.sent == [("엄마", 40_000)]


async def test_a_slot_is_asked_for_again_when_the_user_wants_to_change_it(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    assert await talk.say("날짜 바꿔 줘") == "며칠에 보낼까요?"
    assert "11월 27일 금요일에" in await talk.say("내일")
    assert await talk.say("금액 바꿔 줘") == "엄마는 얼마를 받나요?"
    assert "70,000원을 11월 27일" in await talk.say("칠만 원")


async def test_one_more_transfer_keeps_its_own_day(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    await talk.say("아빠한테도 내일 만 원")
    slots = talk.last["state_snapshot"]
    assert (slots["slots"]["date"], slots["task_queue"][0]["date"]) == (None, "2026-11-27")


async def test_a_spoken_yes_that_may_be_an_echo_confirms_nothing(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    await talk.say("응", may_confirm=False)
    assert (talk.stage, talk.sent) == ("READY", [])


async def test_two_of_three_are_taken_out_at_once(talk: Dialogue) -> None:
    await talk.say("엄마 아빠 동생한테 만 원씩 보내 줘")
    assert "동생에게 10,000원" in await talk.say("엄마랑 아빠는 빼 줘")
    await talk.say("응")
    assert talk.sent == [("동생", 10_000)]


async def test_cancelling_sends_nothing_and_keeps_what_was_done(talk: Dialogue) -> None:
    await talk.say("엄마 아빠한테 만 원씩 보내 줘")
    await talk.say("응")
    assert await talk.say("취소해 줘") == "남은 이체를 취소했어요. 앞서 끝난 1건은 그대로예요."
    assert talk.sent == [("엄마", 10_000)]


async def test_a_question_about_something_else_is_given_back_and_the_flow_waits(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    with pytest.raises(ElsewhereError):
        await talk.say("오늘 날씨 어때?")
    await talk.say("응")
    assert talk.sent == [("엄마", 50_000)]


async def test_the_model_fills_what_code_leaves_and_only_what_the_message_holds(talk: Dialogue) -> None:
    reply = operations(
        {"op": "set", "slot": "recipient", "value": "집주인"},
        {"op": "set", "slot": "amount", "value": "500000"},
        {"op": "set", "slot": "memo", "value": "월세"},
        {"op": "confirm"},
    )
    asked = await talk.say("집주인한테 월세 오십만 원 보내 줘", reply)
    assert "집주인에게 500,000원을" in asked and "메모: 월세." in asked  # noqa: PT018
    assert (talk.stage, talk.sent) == ("READY", [])


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "set", "slot": "amount", "value": "900000"},
        {"op": "set", "slot": "memo", "value": "선물"},
        {"op": "set", "slot": "recipient", "value": "아빠"},
        {"op": "set", "slot": "date", "value": "2026-12-24"},
    ],
)
async def test_a_model_invents_nothing(talk: Dialogue, operation: dict[str, str]) -> None:
    mom = {"op": "set", "slot": "recipient", "value": "엄마"}
    await talk.say("엄마한테 많이 좀 보내 줘 돈", operations(mom, operation))
    slots = talk.last["state_snapshot"]["slots"]
    assert (slots["recipient"]["name"], slots["amount"], slots["memo"], slots["date"]) == ("엄마", None, "", None)


async def test_a_reply_that_cannot_be_read_is_told_before_the_question_of_the_agent_that_asks(talk: Dialogue) -> None:
    await talk.say("돈 좀 보내 줘")
    answer = await talk.say("그거 있잖아 전에 말한 사람", "¿", "¿", words("받으실 분이 누구인가요?"))
    assert answer == "말씀하신 내용을 이해하지 못했어요. 받으실 분이 누구인가요?"
    assert "다음 질문: 말씀하신 내용을 이해하지 못했어요. 누구에게 보낼까요?" in talk.model.asked[-1].system


@pytest.mark.parametrize(
    "untrue",
    [
        "엄마는 1,000,000원을 받았습니다.",
        "네, 보냈어요!",
        "엄마에게 보냈는데, 얼마를 더 보낼까요?",
        "보냅니다. 얼마를 더 보낼까요?",
        "남은 돈 7,777원을 보낼까요?",
        "The transfer is completed.",
        "I have sent it to mom. How much more?",
        "Mom got it, how much more should I send?",
        "누구인지 다시 알려 주세요.",
    ],
)
async def test_a_model_that_does_more_than_ask_is_not_heard(talk: Dialogue, untrue: str) -> None:
    await talk.say("엄마한테 돈 좀 보내 줘")
    answer = await talk.say("그거 있잖아 전에 말한 거", "¿", "¿", words(untrue))
    assert answer == "말씀하신 내용을 이해하지 못했어요. 엄마는 얼마를 받나요?"
    assert talk.sent == []


async def test_without_a_model_code_asks_in_its_own_words(talk: Dialogue) -> None:
    await talk.say("엄마한테 돈 좀 보내 줘")
    answer = await talk.say("그거 있잖아 전에 말한 거", "¿", "¿", DOWN)
    assert answer == "말씀하신 내용을 이해하지 못했어요. 엄마는 얼마를 받나요?"


@pytest.mark.parametrize(
    "said",
    [
        "엄마에게 이만원, 아빠에게만원 박지수에게 삼만원 송금해 줘",
        "엄마한테 이만원 아빠한테만원 박지수한테 삼만원 보내 줘",
    ],
)
async def test_an_amount_that_is_written_against_its_person_is_heard(talk: Dialogue, said: str) -> None:
    answer = await talk.say(said)
    for words_told in ("3건 중 1번째", "엄마에게 20,000원", "아빠 10,000원", "지수 30,000원"):
        assert words_told in answer


async def test_a_model_that_leaves_a_person_out_is_not_followed(talk: Dialogue) -> None:
    half = operations(
        {"op": "set", "slot": "recipient", "value": "아빠"}, {"op": "set", "slot": "amount", "value": "30000"}
    )
    await talk.say("엄마한테 만 원 쿵짝 아빠한테 삼만 원 어쩌구 송금해 줘", half, half)
    assert talk.sent == []
    assert talk.stage != "READY"


@pytest.mark.parametrize(
    "asked",
    [
        "엄마 돈 받았어?",
        "벌써 보냈어?",
        "다 됐어?",
        "엄마한테 오만 원 보낸 거 맞지?",
        "송금 수수료 얼마야?",
        "누구한테 보냈더라?",
        "얼마가 좋을까?",
        "did you send it?",
        "is it done?",
        "did mom get the money?",
        "I already sent it, right?",
    ],
)
async def test_a_question_before_the_yes_is_answered_by_code_that_nothing_has_gone(tmp_path: Path, asked: str) -> None:
    language: Language = "en" if asked.isascii() else "ko"
    talk = Dialogue(tmp_path, language=language)
    not_sent = {"ko": "이번 이체는 아직 보내지 않았어요.", "en": "This transfer has not been sent yet."}[language]
    question = await talk.say({"ko": "엄마한테 돈 보내 줘", "en": "send mom money"}[language])
    assert await talk.say(asked) == f"{not_sent} {question}"
    question = await talk.say({"ko": "삼만 원", "en": "30,000 won"}[language])
    assert await talk.say(asked) == f"{not_sent} {question}"
    assert (talk.stage, talk.sent, talk.model.asked) == ("READY", [], [])


async def test_a_question_about_money_or_former_transfers_is_answered_from_the_account(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    await talk.say("응")
    await talk.say("엄마한테 돈 보내 줘")
    funds = await talk.say("잔액이 얼마야?")
    assert "보낼 수 있는 돈은 950,000원이고" in funds
    assert "최근" not in funds
    past = await talk.say("얼마 보냈지?")
    assert "아직 보내지 않았어요. 최근에 맡기신 이체: 오늘 엄마 50,000원. 엄마는 얼마를 받나요?" in past
    assert talk.model.asked == []


async def test_an_unknown_outcome_is_told_and_never_repeated(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    talk.bank.arrange(BankFault.TIMEOUT_AFTER)
    told = await talk.say("응")
    assert "보냈는지 확실하지 않아요" in told and "거래 내역에는 보낸 것으로 나와요" in told  # noqa: PT018
    assert (talk.sent, talk.stage) == ([("엄마", 50_000)], "FAILED")


@pytest.mark.parametrize("fault", [BankFault.REFUSED, BankFault.DOWN])
async def test_a_certain_failure_is_told_with_its_reason(talk: Dialogue, fault: BankFault) -> None:
    await talk.say("엄마 아빠한테 만 원씩 보내 줘")
    talk.bank.arrange(fault)
    told = await talk.say("응")
    assert "엄마에게 보내지 못했어요." in told and "아빠에게 10,000원을 오늘 보낼까요?" in told  # noqa: PT018
    assert talk.sent == []


async def test_after_a_crash_before_the_step_began_the_user_is_asked_anew(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    talk.store.full = True
    with pytest.raises(Exception, match="disk full"):
        talk.store._write("full")
    await talk.events("응")
    talk.store.full = False
    talk.restart()
    await talk.say("응")
    await talk.say("응")
    assert talk.sent == [("엄마", 50_000)]


async def test_after_a_restart_a_bare_yes_asks_again_because_the_question_may_not_have_been_seen(
    talk: Dialogue,
) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    talk.restart()
    assert "엄마에게 50,000원을 오늘 보낼까요?" in await talk.say("응")
    assert talk.sent == []
    await talk.say("응")
    assert talk.sent == [("엄마", 50_000)]


async def test_the_same_transfer_within_an_hour_is_warned_of(talk: Dialogue) -> None:
    await talk.say("엄마한테 오만 원 보내 줘")
    await talk.say("응")
    talk.pass_time(minutes=10)
    assert "10분 전에도 같은 분에게 50,000원을 보냈어요." in await talk.say("엄마한테 오만 원 보내 줘")
    await talk.say("취소")
    talk.pass_time(hours=2)
    assert "전에도" not in await talk.say("엄마한테 오만 원 보내 줘")


async def test_every_turn_ends_with_its_state_and_buttons_where_a_yes_is_awaited(talk: Dialogue) -> None:
    events = await talk.events("엄마한테 오만 원 보내 줘")
    payload = events[-1].payload
    assert events[-1].event is EventType.DONE
    assert [each["text"] for each in payload["buttons"]] == ["응", "취소"]
    assert payload["confirm"]["arguments"]["amount"] == payload["state_snapshot"]["slots"]["amount"] == 50_000


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_an_english_message_is_answered_in_english(tmp_path: Path, language: Language) -> None:
    talk = Dialogue(tmp_path, language=language)
    await talk.say("send mom and dad 10,000 won each")
    assert "Transfer 2 of 2. Shall I send 10,000 won to dad today?" in await talk.say("yes")
    assert await talk.say("never mind") == "I cancelled what was left. The 1 before are done."


@pytest.mark.parametrize(
    ("language", "message", "answer"),
    [("ko", "엄마한테 백 달러 보내 줘", "원화로만"), ("en", "send fifty dollars to mom", "won only")],
)
async def test_money_of_another_currency_is_refused_by_code(
    tmp_path: Path, language: Language, message: str, answer: str
) -> None:
    assert answer in await Dialogue(tmp_path, language=language).say(message)


WANTED = """엄마한테 오만 원 보내 줘|아빠한테 돈 좀 부쳐 줘|송금하고 싶어|이체해 줘|동생한테 용돈 보내 줘
집주인한테 월세 보내야 해
국민은행 123-456-78901로 십만 원 이체|세 명한테 3만 원씩 쏴 줘|send mom 50,000 won|transfer some money to dad
wire 35k won to Sarah
엄마한테 백 달러 보내 줘|동생에게 50유로 송금해 줘|엄마 계좌로 만 엔 보내 줘|send fifty dollars to mom
send mom $50|can you wire $1,200 to Sarah?|pay 20 bucks to John|give dad two hundred dollars please
I need to pay the rent to my landlord|can you send fifty thousand won to mom?"""
UNWANTED = """엄마한테 문자 보내 줘|사진 보내 줘|오만 원 보낼까?|엄마한테 얼마 보냈지?|오늘 날씨 어때?
이메일 보내 줘|3시에 알림 보내 줘|만 원이면 싼 거야?
send mom a message|send the report to Sarah|transfer the file to my laptop|how much did I send mom?
50달러짜리 선물 보내 줘|엄마한테 50달러라고 문자 보내 줘|100달러는 원화로 얼마야
친구한테 5달러 커피 쿠폰 보내 줘|convert 50 dollars to yen|send me the price of 50 dollars
send the invoice for 50 dollars to Sarah|give 50 pounds to kilograms|send 5 pounds of apples to mom
pay attention|give me a break
I sent dad 50,000 won|what is a bank transfer?"""


@pytest.mark.parametrize("message", [each for line in WANTED.splitlines() for each in line.split("|")])
def test_a_request_for_a_transfer_begins_the_flow(message: str) -> None:
    assert wants_transfer(message)


@pytest.mark.parametrize("message", [each for line in UNWANTED.splitlines() for each in line.split("|")])
def test_other_messages_do_not(message: str) -> None:
    assert not wants_transfer(message)
