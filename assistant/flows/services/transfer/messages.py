"""What the service says to the user. Every text about money says that the bank is simulated where money would move."""

from datetime import date
from typing import Final

from assistant.core.settings import Language
from assistant.flows.messages import Messages

MESSAGES: Final = Messages(
    ko={
        "label_slots": "말씀을 정리하고 있어요.",
        "label_interaction": "답을 쓰고 있어요.",
        "label_send": "모의 은행에 이체를 맡기고 있어요.",
        "ask_recipient": "누구에게 보낼까요?",
        "ask_amount": "{name:은/는} 얼마를 받나요?",
        "ask_amount_alone": "얼마를 보낼까요?",
        "ask_date": "며칠에 보낼까요?",
        "ask_memo": "메모는 뭐라고 적을까요?",
        "ask_bank": "어느 은행 계좌인가요?",
        "ask_choice": "{name:이라는/라는} 분이 여럿이에요. 누구인가요? {choices}",
        "choice": "{number}번 {label}({bank})",
        "error_unclear": "말씀하신 내용을 이해하지 못했어요.",
        "error_no_account": "{name}의 계좌를 몰라요. 은행과 계좌 번호를 말씀해 주세요.",
        "error_amount_minimum": "이체 금액은 1원 이상이어야 해요.",
        "error_amount_funds": "{amount}은 보낼 수 없어요. 보낼 수 있는 돈은 {limit}이에요.",
        "error_amount_single": "{amount}은 한 번에 보낼 수 없어요. 1회 한도는 {limit}이에요.",
        "error_amount_daily": "{amount}을 보내면 하루 한도를 넘어요. 그날 더 보낼 수 있는 돈은 {limit}이에요.",
        "error_amount_relative": "앞서 말씀하신 금액이 없어서 계산하지 못했어요.",
        "error_amount_currency": "원화로만 보낼 수 있어요.",
        "error_date_past": "지난 날짜로는 보낼 수 없어요.",
        "error_date_far": "{days}일 안의 날짜만 정할 수 있어요.",
        "error_date_unclear": "어느 날인지 확실하지 않아요.",
        "error_date_impossible": "그런 날짜는 없어요.",
        "error_date_hour": "시각은 정할 수 없고 날짜만 정할 수 있어요.",
        "error_date_repeats": "되풀이되는 이체는 아직 할 수 없어요. 한 번 보내는 것만 할 수 있어요.",
        "error_memo_long": "메모는 {most}자까지 쓸 수 있어요.",
        "error_too_many": "한 번에 10건까지 보낼 수 있어요.",
        "confirm": "{progress}{name}에게 {amount}을 {day} 보낼까요? 모의 은행이에요.",
        "detail_account": "받는 계좌: {bank} {account}{holder}.",
        "detail_holder": ", 예금주 {holder}",
        "detail_memo": "메모: {memo}.",
        "detail_next": "이어서 {rest} 차례예요.",
        "next_one": "{name} {amount}",
        "next_open": "금액을 정하지 않은 {name}",
        "somebody": "받는 사람",
        "detail_basis_half": "앞서 말씀하신 금액의 절반이에요.",
        "detail_basis_half_of_balance": "보낼 수 있는 돈의 절반이에요.",
        "detail_basis_rest": "보낼 수 있는 돈에서 남는 전부예요.",
        "detail_basis_all": "보낼 수 있는 돈 전부예요.",
        "warn_just": "방금도 같은 분에게 {amount}을 보냈어요.",
        "warn_twice": "{minutes}분 전에도 같은 분에게 {amount}을 보냈어요.",
        "warn_total": "모두 {total}인데, 보낼 수 있는 돈은 {available}이에요.",
        "progress": "{total}건 중 {number}번째예요. ",
        "today": "오늘",
        "on_day": "{month}월 {day}일 {weekday}요일에",
        "weekdays": "월화수목금토일",
        "won": "{won}원",
        "not_sent": "이번 이체는 아직 보내지 않았어요.",
        "funds": "보낼 수 있는 돈은 {available}이고, 한도는 한 번에 {single}, 하루 {daily}이에요.",
        "recent": "최근에 맡기신 이체: {recent}.",
        "unclear_ready": "확인하지 못해서 아직 보내지 않았어요. 보내려면 “응”, 그만두려면 “취소”라고 말씀해 주세요.",
        "cancelled": "이체를 취소했어요. 아무것도 보내지 않았어요.",
        "cancelled_rest": "남은 이체를 취소했어요. 앞서 끝난 {done}건은 그대로예요.",
        "nothing_left": "보낼 이체가 남아 있지 않아요.",
        "done": "{name}에게 {amount}을 보냈어요. 모의 은행 잔액은 {balance}이에요.",
        "done_later": (
            "{name}에게 {amount}을 {day} 보내도록 모의 은행에 예약했어요. 보낼 수 있는 돈은 {available}이에요."
        ),
        "failed": "{name}에게 보내지 못했어요. {reason}",
        "unknown": (
            "{name}에게 {amount}을 보냈는지 확실하지 않아요. 모의 은행이 답하지 않았어요. {found} 다시 보내지 않았어요."
        ),
        "unknown_found": "거래 내역에는 보낸 것으로 나와요.",
        "unknown_missing": "거래 내역에는 아직 없어요.",
        "stopped": "앞선 이체를 하다가 Sori가 꺼졌어요.",
        "not_begun": "앞선 이체는 시작하지 못했어요.",
        "button_yes": "보내기",
        "say_yes": "응",
        "button_no": "취소",
        "say_no": "취소",
    },
    en={
        "label_slots": "Putting together what you said.",
        "label_interaction": "Writing an answer.",
        "label_send": "Giving the transfer to the simulated bank.",
        "ask_recipient": "Who should get the money?",
        "ask_amount": "How much should {name} get?",
        "ask_amount_alone": "How much should I send?",
        "ask_date": "On which day should I send it?",
        "ask_memo": "What should the memo say?",
        "ask_bank": "At which bank is the account?",
        "ask_choice": "Several people are called {name}. Which one? {choices}",
        "choice": "{number}: {label} ({bank})",
        "error_unclear": "I did not understand that.",
        "error_no_account": "I do not know an account of {name}. Please tell me the bank and the account number.",
        "error_amount_minimum": "The amount must be at least 1 won.",
        "error_amount_funds": "I cannot send {amount}. You can send {limit}.",
        "error_amount_single": "{amount} is too much for one transfer. The limit is {limit}.",
        "error_amount_daily": "{amount} is over the daily limit. On that day you can still send {limit}.",
        "error_amount_relative": "I cannot work that out, because no amount was said before.",
        "error_amount_currency": "I can send won only.",
        "error_date_past": "A transfer cannot be on a past day.",
        "error_date_far": "The day must be within {days} days.",
        "error_date_unclear": "I am not sure which day you mean.",
        "error_date_impossible": "There is no such day.",
        "error_date_hour": "A transfer has a day, but no hour.",
        "error_date_repeats": "I cannot repeat transfers yet. I can make a single one.",
        "error_memo_long": "A memo has at most {most} characters.",
        "error_too_many": "I can make 10 transfers at once.",
        "confirm": "{progress}Shall I send {amount} to {name} {day}? This is a simulated bank.",
        "detail_account": "Account: {bank} {account}{holder}.",
        "detail_holder": ", holder {holder}",
        "detail_memo": "Memo: {memo}.",
        "detail_next": "After that: {rest}.",
        "next_one": "{name} {amount}",
        "next_open": "{name}, amount open",
        "somebody": "somebody",
        "detail_basis_half": "This is half of the amount before.",
        "detail_basis_half_of_balance": "This is half of what you can send.",
        "detail_basis_rest": "This is all that is left of what you can send.",
        "detail_basis_all": "This is everything you can send.",
        "warn_just": "You sent {amount} to the same account just now.",
        "warn_twice": "You sent {amount} to the same account {minutes} minutes ago.",
        "warn_total": "Together it is {total}, but you can send {available}.",
        "progress": "Transfer {number} of {total}. ",
        "today": "today",
        "on_day": "on {weekday}, {month}/{day}",
        "weekdays": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "won": "{won} won",
        "not_sent": "This transfer has not been sent yet.",
        "funds": "You can send {available}. The limits are {single} for one transfer and {daily} a day.",
        "recent": "Transfers that you asked for lately: {recent}.",
        "unclear_ready": "I have not sent anything yet. Say “yes” to send it or “cancel” to stop.",
        "cancelled": "I cancelled the transfer. Nothing was sent.",
        "cancelled_rest": "I cancelled what was left. The {done} before are done.",
        "nothing_left": "No transfer is left.",
        "done": "I sent {amount} to {name}. The balance at the simulated bank is {balance}.",
        "done_later": "I booked {amount} to {name} {day} at the simulated bank. You can send {available}.",
        "failed": "I could not send it to {name}. {reason}",
        "unknown": (
            "It is not certain whether {amount} was sent to {name}. The simulated bank did not answer. {found} I did "
            "not send it again."
        ),
        "unknown_found": "Its history shows the transfer.",
        "unknown_missing": "Its history does not show it yet.",
        "stopped": "Sori ended during the transfer before.",
        "not_begun": "The transfer before did not begin.",
        "button_yes": "Send",
        "say_yes": "yes",
        "button_no": "Cancel",
        "say_no": "cancel",
    },
)


def won(language: Language, amount: int) -> str:
    """An amount for the user: ``50,000원``, ``50,000 won``."""
    return MESSAGES(language, "won", won=f"{amount:,}")


def day_text(language: Language, day: date, today: date) -> str:
    """A day for the user: ``오늘``, ``11월 27일 금요일에``."""
    if day == today:
        return MESSAGES(language, "today")
    names = MESSAGES(language, "weekdays")
    weekday = names[day.weekday()] if language == "ko" else names.split()[day.weekday()]
    return MESSAGES(language, "on_day", month=day.month, day=day.day, weekday=weekday)
