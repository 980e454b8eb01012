"""Only a whole message confirms or cancels."""

import pytest

from assistant.flows.services.transfer.logic import is_cancel, is_confirm

YES = """응|네|네 맞아요|그래 보내|그래, 보내 줘|ㅇㅇ|ㅇㅋ|네!|예|넵|응 응|그래요
좋아요|확인|맞아|응 보내 줘|네, 진행해 주세요
그렇게 해 줘|물론이죠|오케이|응 맞아 보내 줘|네네|승인|응 부탁해
yes go ahead|Yes.|yep|sure|ok|okay, send it|confirm|that's right
yes please|looks good|do it"""
NO_YES = """네 근데 사만 원으로|응?|보내지 마|아니|취소하지 마|응 아니|네?|맞아?|보내 줄까|보낼까|응 내일|네 엄마한테
나중에|잠깐|글쎄|음|어
그래?|그럼 아빠는|보내지 말고 기다려|응답|확인해 볼게|내일 보내|네 취소|아니 응|응 그런데|안 맞아|좋아하는 거|어 잠깐
yes but|yes?|no|don't
not yet|don't cancel|okay google|sure?|send mom|okay but wait|right now?|yes cancel|I do not"""
CANCEL = """취소|그만둘래|안 보낼래|취소해 줘|취소할게요|그만|됐어|안 할래|보내지 마|아니 취소|전부 취소해
이체 취소|없던 걸로 해 줘|관둘래
그냥 취소해 줘|취소!|never mind
cancel it|forget it|stop|don't send it|no, cancel
I changed my mind|Cancel the transfer please"""
NO_CANCEL = """취소하지 마|취소?|취소할까?|취소 수수료 얼마야|두 번째 취소|아빠 거 취소해 줘|메모 취소|안 보내면 안 돼
그만 물어봐|됐어?|아니
보내지 말고 아빠한테|알람 취소해 줘|취소 안 할래|취소 말고
stop by mom's|don't cancel|cancel the second|should I cancel?|no|never"""


def _all(words: str) -> list[str]:
    return [each for line in words.splitlines() for each in line.split("|")]


@pytest.mark.parametrize("message", _all(YES))
def test_a_whole_yes_confirms_and_cancels_nothing(message: str) -> None:
    assert (is_confirm(message), is_cancel(message)) == (True, False)


@pytest.mark.parametrize("message", _all(NO_YES))
def test_a_yes_with_more_in_it_or_a_question_confirms_nothing(message: str) -> None:
    assert not is_confirm(message)


@pytest.mark.parametrize("message", _all(CANCEL))
def test_whole_words_of_cancelling_cancel_and_confirm_nothing(message: str) -> None:
    assert (is_cancel(message), is_confirm(message)) == (True, False)


@pytest.mark.parametrize("message", _all(NO_CANCEL))
def test_words_of_cancelling_with_more_in_them_do_not_cancel_everything(message: str) -> None:
    assert not is_cancel(message)
