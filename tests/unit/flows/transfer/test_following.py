"""Which messages after the end of a transfer are about that transfer alone."""

import pytest

from assistant.flows.services.transfer.flows.following import recalls_transfer

ABOUT = """얼마 보냈지?|한 번 더 보내 줘|잘 보냈어?|아까 그 이체 어떻게 됐어?|엄마가 돈 받았어?|돈 갔어?|다 됐어?
|이체 완료됐나요?|누구한테 보냈어?|방금 보낸 거 맞지?|또 보내줘|엄마한테 보내 줘|진짜 보낸 거야?|송금 됐어요?
|취소된 거 맞아?|how much did I send?|send it once more|did it go through?|what happened with the transfer?
|did Mom get the money?|cancel it|is it done?|did you send it?|who did I send it to?|has the money arrived?
|send it again please|was it sent?|did you send it to Mom?|what happened?|can you send it again?
|try again|ok do the same again|please repeat that|취소해 줘|undo it|되돌려 줘|방금 거 물러 줘
|can I take it back?|can you undo the transfer?
|엄마 돈 받았어?|다시 한 번 부탁해|한 번 더 해 줘|또 해 줘"""
ELSEWHERE = """메일 보내 줘|오늘 날씨 어때?|어제 경기 어떻게 됐어?|이체 수수료가 얼마야?|사진 보내 줘|커피가 몸에 좋아?
|문자 잘 갔어?|엄마한테 사랑한다고 보내 줘|일이 많이 됐어|영화가 끝났어?|어떻게 해?|뭐 할 수 있어?|숙제 다 했어
|what is a transfer?|send an email to Kim|how do I get to Seoul?|who won the game?|did the train arrive on time?
|what happened in 1945?|go|get me a recipe|what can you do?|tell me a joke|how does it work?
|what did you do?|take a picture|엄마 사진 받았어?|say that again|tell me again|다시 설명해 줘|이야기 더 해 줘"""


@pytest.mark.parametrize("said", ABOUT.replace("\n", "").split("|"))
def test_what_is_about_the_transfer_is_left_to_no_model(said: str) -> None:
    assert recalls_transfer(said)


@pytest.mark.parametrize("said", ELSEWHERE.replace("\n", "").split("|"))
def test_what_code_understands_in_part_is_left_to_a_model(said: str) -> None:
    assert not recalls_transfer(said)
