import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.speech.text.code_blocks import has_code
from assistant.speech.text.sentences import FIRST_ANYWHERE, HANGUL_WEIGHT, SentenceChunker
from assistant.speech.text.spoken import spoken_text
from assistant.speech.text.vocabulary import words


def chunks(text: str, size: int = 0) -> list[str]:
    chunker = SentenceChunker()
    pieces = [text] if not size else [text[at : at + size] for at in range(0, len(text), size)]
    found = [chunk for piece in pieces for chunk in chunker.feed(piece)]
    return [*found, *chunker.flush()]


def whole(text: str) -> list[str]:
    """Sentences after a first piece, which may be cut at clauses."""
    return chunks(f"Yes.\n\n{text}")[1:]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("안녕하세요. 반갑습니다. 무엇을 도와드릴까요?", ["안녕하세요.", "반갑습니다.", "무엇을 도와드릴까요?"]),
        ("It is sunny. Take a hat! Shall we go?", ["It is sunny.", "Take a hat!", "Shall we go?"]),
        ("좋아요! 😊 다음으로 갈게요.", ["좋아요!", "😊 다음으로 갈게요."]),
        ("좋아요!😊 다음으로 갈게요.", ["좋아요!😊", "다음으로 갈게요."]),
        ("정말요?! 놀랍네요.", ["정말요?!", "놀랍네요."]),
        ("끝났습니다.그리고 시작합니다.", ["끝났습니다.", "그리고 시작합니다."]),
        ("今日は晴れです。明日は雨です。", ["今日は晴れです。", "明日は雨です。"]),
        ("He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]),
        ("(This is an aside.) It goes on.", ["(This is an aside.)", "It goes on."]),
        ("**중요합니다.** 다음을 보세요.", ["**중요합니다.**", "다음을 보세요."]),
        ("The answer is 42. Anything else?", ["The answer is 42.", "Anything else?"]),
        ("I was born in 1990. It was cold.", ["I was born in 1990.", "It was cold."]),
        ("서울은 25도입니다. 부산은 27도입니다.", ["서울은 25도입니다.", "부산은 27도입니다."]),
        ("I said no. It was late.", ["I said no.", "It was late."]),
        ("She lives in the U.S. It is far away.", ["She lives in the U.S.", "It is far away."]),
        ("생각해 볼게요… 좋습니다.", ["생각해 볼게요…", "좋습니다."]),
        ("Well... The end.", ["Well...", "The end."]),
    ],
)
def test_sentences_are_cut_at_their_ends(text: str, sentences: list[str]) -> None:
    assert whole(text) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "오늘 기온은 3.5도입니다.",
        "모두 1,234원입니다.",
        "Pi is about 3.14159 or so.",
        "Mr. Quilter met Dr. Smith and Mrs. Jones.",
        "Bring fruit, e.g. apples, i.e. something sweet.",
        "The U.S. Army and the U.K. government agreed.",
        "It opens at 9 a.m. and closes at 5 p.m. every day.",
        "J. K. Rowling wrote it.",
        "See https://example.com/a.b?c=d.e for more.",
        "Write to kim.lee@example.co.kr today.",
        "Open main.py and README.md first.",
        "Python 3.11.2 is installed.",
        "오늘은 2026. 11. 22. 일요일입니다.",
        "그는 “안녕하세요. 반갑습니다.”라고 말했습니다.",
        '그는 "안녕하세요. 반갑습니다."라고 말했습니다.',
        "음... 잘 모르겠어요.",
        "글쎄… 그건 좀 어렵네요.",
        "Apples, pears, etc. are fruit.",
        "No. 5 is alive.",
        "Yahoo! is a company.",
        '"What?" he asked.',
        "순서는 1. 물 2. 라면 3. 달걀입니다.",
        "Use `a. B` in code.",
        "It works (see Fig. 3. And more) well.",
        "Acme Inc. and Widget Co. are rivals.",
        "The 1.5 GB file, v2.0, is at /usr/lib/x.so today.",
    ],
)
def test_what_looks_like_an_end_and_is_none_is_not_cut(text: str) -> None:
    assert whole(text) == [text]


def test_lists_are_cut_between_items_and_not_after_their_signs() -> None:
    text = "준비물입니다:\n1. 사과 두 개\n2. 배 한 개\n- 물. 그리고 컵\n* 접시\n\n끝입니다."
    assert whole(text) == ["준비물입니다:", "1. 사과 두 개", "2. 배 한 개", "- 물.", "그리고 컵", "* 접시", "끝입니다."]


def test_headings_stand_alone() -> None:
    assert whole("## 날씨\n오늘은 맑습니다.\n\n## 내일\n비가 옵니다.") == [
        "## 날씨",
        "오늘은 맑습니다.",
        "## 내일",
        "비가 옵니다.",
    ]


def test_a_wrapped_line_goes_on() -> None:
    assert whole("This sentence goes on\nin the next line. Here is another.") == [
        "This sentence goes on\nin the next line.",
        "Here is another.",
    ]


def test_a_code_block_is_one_piece_however_much_it_looks_like_sentences() -> None:
    code = "```python\nx = 1. \nprint('Hello. World! ')\n\n# Done. Really.\n```"
    assert whole(f"예제입니다.\n{code}\n설명입니다.") == ["예제입니다.", code, "설명입니다."]


@pytest.mark.parametrize(
    "code",
    [
        "~~~python\nprint('a. b. c. ')\n~~~",
        "````md\n```py\nx. y. z\n```\n````",
        "> ```\n> rm x. y. z\n> ```",
        "- ```\n  in. an. item\n  ```",
        "   ```bash\n   pip install x. y\n   ```",
        "    indented()\n    # Done. Really.\n\n    more()",
        "\tpip install sori. now",
        "<pre>\nHello. World!\n</pre>",
        "<pre><code>\nint main();\n\nreturn. 0\n</code></pre>",
        "<script>alert('Hi. there.')</script>",
        "```python\nx. y\n```python\nz\n```",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 1_000])
def test_every_kind_of_code_is_one_piece(code: str, size: int) -> None:
    text = f"예제입니다.\n\n{code}\n\n설명입니다."
    chunker = SentenceChunker()
    pieces = [piece for at in range(0, len(text), size) for piece in chunker.feed(text[at : at + size])]
    assert [*pieces, *chunker.flush()] == ["예제입니다.", code, "설명입니다."]
    assert has_code(code)


def test_a_sentence_after_the_end_of_an_element_is_no_code() -> None:
    assert whole("<pre>\nx. y\n</pre> 뒤의 말입니다.\n다음.") == ["<pre>\nx. y", "</pre> 뒤의 말입니다.", "다음."]
    assert spoken_text("<pre>\nx. y\n</pre> 뒤의 말입니다.", "ko") == "뒤의 말입니다."


@pytest.mark.parametrize(
    "text",
    [
        "    들여쓴 말입니다.",
        "    This is an indented sentence.",
        "1. 설치\n\n    이어지는 문단입니다.",
        "- one\n    - two",
        "~~취소~~합니다.",
        "~10도입니다.",
        "`코드`는 짧다.",
        "```inline``` is code in a line.",
        "> 인용문입니다.",
        "한 줄\n    이어지는 줄",
        "<div>글</div>",
    ],
)
def test_what_only_looks_like_code_is_none(text: str) -> None:
    assert not has_code(text)


def test_an_unfinished_code_block_is_not_lost() -> None:
    assert whole("예제입니다.\n```\na. b. c") == ["예제입니다.", "```\na. b. c"]


def test_the_first_piece_ends_at_a_comma_that_has_enough_before_it() -> None:
    assert chunks("오늘 서울 날씨는, 대체로 맑겠습니다. 내일은, 비가 오고 춥겠습니다.") == [
        "오늘 서울 날씨는,",
        "대체로 맑겠습니다.",
        "내일은, 비가 오고 춥겠습니다.",
    ]
    assert chunks("서울, 부산은 맑습니다. 불을 켤게요.") == ["서울, 부산은 맑습니다.", "불을 켤게요."]
    assert chunks("The weather in Seoul, as far as I know, is fine.")[0] == "The weather in Seoul,"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("네, 알겠습니다. 불을 켤게요.", ["네,", "알겠습니다.", "불을 켤게요."]),
        ("Sure, I can do that. No, wait.", ["Sure,", "I can do that.", "No, wait."]),
        ("네, 오늘 서울 날씨는, 대체로 맑겠습니다.", ["네,", "오늘 서울 날씨는,", "대체로 맑겠습니다."]),
        ("네트워크, 그것은 망입니다.", ["네트워크, 그것은 망입니다."]),
        ('"Yes, of course", he said.', ['"Yes, of course", he said.']),
    ],
)
def test_a_discourse_marker_at_the_beginning_is_a_piece_of_its_own(text: str, pieces: list[str]) -> None:
    assert chunks(text) == chunks(text, 1) == pieces


def test_the_first_piece_ends_at_a_connective_that_has_enough_before_it() -> None:
    assert chunks("오늘은 전국이 대체로 맑겠지만 밤부터는 비가 내리겠습니다.")[0] == "오늘은 전국이 대체로 맑겠지만"
    assert chunks("The weather in Seoul will be sunny and warm through the whole afternoon but colder at night.")[
        0
    ].endswith("afternoon")


@pytest.mark.parametrize(
    "text",
    [
        "서울에는 지금 비가 많이 내리고 있습니다.",
        "오늘은 집에서 푹 쉬고 싶습니다.",
        "버튼을 한 번만 더 클릭하면 됩니다.",
        "이 약은 식후 삼십 분 안에 복용해도 괜찮습니다.",
        "내일 일정을 지금 바로 확인하도록 하겠습니다.",
        "저는 내일 날씨를 먼저 알아보려고 합니다.",
    ],
)
def test_a_verb_of_several_words_is_not_cut(text: str) -> None:
    assert chunks(text) == chunks(text, 1) == [text]


def test_a_connective_after_a_verb_of_several_words_ends_the_first_piece() -> None:
    text = "그 식당은 아홉 시까지 영업하고 있으니까 지금 가셔도 됩니다."
    assert chunks(text)[0] == "그 식당은 아홉 시까지 영업하고 있으니까"


def test_a_comma_in_a_number_is_no_clause() -> None:
    assert chunks("지금까지 모두 합해서 1,234원입니다.") == ["지금까지 모두 합해서", "1,234원입니다."]


def test_a_sentence_without_end_is_still_spoken() -> None:
    pieces = chunks("단어 " * 1_000)
    assert len(pieces) > 5
    assert max(len(piece) for piece in pieces) < 500


def test_a_piece_is_given_as_soon_as_the_next_word_begins() -> None:
    chunker = SentenceChunker()
    assert chunker.feed("안녕하세요.") == []
    assert chunker.feed(" ") == []
    assert chunker.feed("무") == ["안녕하세요."]


def test_a_quote_that_is_never_closed_does_not_silence_the_rest() -> None:
    text = 'A 5" pipe. ' + "It goes on and on like this for a while. " * 12
    assert len(whole(text)) > 5


def test_another_answer_begins_fresh() -> None:
    chunker = SentenceChunker()
    chunker.feed("```\nopen")
    chunker.flush()
    assert chunker.feed("하나. 둘. 셋") == ["하나.", "둘."]


def test_nothing_is_given_for_nothing() -> None:
    assert chunks("") == []
    assert chunks(" \n ") == []


FRAGMENTS = st.sampled_from(
    sorted(
        words(
            """안녕하세요 네 . .. … ? ! , 3 3.5 1. Mr. U.S. e.g. a The It ` ``` " ( ) “ ” 😊 고 하지만 。 맑겠지만 *
            https://a.b/c?d=e. 2026. 11. 22. ' ** : 가나다라마바사아자차 No. etc. - # ```py |
            ~~~ ```` <pre> </pre> > ~"""
        ),
    ),
)
SPACE = st.sampled_from(["", "", " ", "  ", "\n", "\n\n", " and ", ", "])
TEXTS = st.lists(FRAGMENTS | SPACE, max_size=60).map("".join) | st.text(max_size=80)


@given(TEXTS)
def test_nothing_is_lost_or_doubled(text: str) -> None:
    pieces = chunks(text)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", text)
    assert all(piece and (piece == piece.strip() or has_code(piece)) for piece in pieces)


@given(TEXTS, st.lists(st.integers(1, 9), min_size=1, max_size=30))
def test_the_pieces_do_not_depend_on_how_the_text_arrives(text: str, sizes: list[int]) -> None:
    chunker, found, at = SentenceChunker(), list[str](), 0
    while at < len(text):
        size = sizes[at % len(sizes)]
        found += chunker.feed(text[at : at + size])
        at += size
    assert [*found, *chunker.flush()] == chunks(text) == chunks(text, 1)


def test_a_first_sentence_that_never_ends_is_begun_all_the_same() -> None:
    chunker = SentenceChunker()
    pieces = chunker.feed("가나다라 " * 40)
    assert pieces
    assert len(pieces[0].replace(" ", "")) * HANGUL_WEIGHT < FIRST_ANYWHERE + 4 * HANGUL_WEIGHT


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("The sky appears blue because of a phen", "The sky appears blue"),
        ("하늘이 파란색으로 보이는 이유는 빛의", "하늘이 파란색으로"),
        ("I'm sorry, but I cannot", "I'm sorry,"),
        ("The cat, the dog", ""),
        ("The sky appears", ""),
        ("The sky appears blue beca", ""),
        ('He said "the sky appears blue because of', ""),
        ("```\nthe sky appears blue because of light", ""),
    ],
)
def test_in_a_hurry_a_piece_ends_at_a_phrase(text: str, first: str) -> None:
    chunker = SentenceChunker()
    assert chunker.feed(text) == []
    assert "".join(chunker.hurry()) == first
    assert "".join(chunker.flush()) == text[len(first) :].strip()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("\n\n1. 고양이를 꾸리고, 눈을 감고", "1. 고양이를 꾸리고,"),
        ("\n- The sky appears blue because of", "- The sky appears blue"),
        ("\n| 나무의 이름은, 수 |", ""),
        ("\n    the sky appears blue because of", ""),
        ("\nThe sky appears\nblue because of", ""),
    ],
)
def test_an_item_of_a_list_may_be_hurried(text: str, first: str) -> None:
    chunker = SentenceChunker()
    assert chunker.feed(f"다음과 같습니다.{text}") == ["다음과 같습니다."]
    assert "".join(chunker.hurry()) == first


def test_a_hurry_cuts_no_verb_of_several_words() -> None:
    chunker = SentenceChunker()
    assert [*chunker.feed("그 식당에서는 고기를 팔지 "), *chunker.hurry()] == ["그 식당에서는"]
    assert [*chunker.hurry(), *chunker.feed("않습니다"), *chunker.flush()] == ["고기를 팔지 않습니다"]


def test_a_hurry_lasts_until_the_next_piece() -> None:
    chunker = SentenceChunker()
    assert chunker.feed("The sky app") == chunker.hurry() == []
    assert chunker.feed("ears blue because of light and so on and on ") == ["The sky appears blue"]
    assert chunker.feed("until it ends. Then") == ["because of light and so on and on until it ends."]


def test_a_piece_after_the_first_may_be_hurried_too() -> None:
    chunker = SentenceChunker()
    assert chunker.feed("Yes. The sky appears blue because of") == ["Yes."]
    assert chunker.hurry() == ["The sky appears blue"]


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_known_first_piece_is_cut_again(size: int) -> None:
    text = " The sky appears blue because of light. Well."
    chunker = SentenceChunker("The sky appears blue")
    found = [piece for at in range(0, len(text), size) for piece in chunker.feed(text[at : at + size])]
    assert [*found, *chunker.flush()] == ["The sky appears blue", "because of light.", "Well."]


def test_another_first_piece_than_the_known_one_is_cut_as_usual() -> None:
    chunker = SentenceChunker("The sky appears blue")
    assert chunker.feed("The sky is grey. Why? Who") == ["The sky is grey.", "Why?"]
    assert SentenceChunker("The sky appears blue").feed("No. Not") == ["No."]


@pytest.mark.parametrize(("marker", "rest"), [("네,", " 오늘은 맑아요."), ("Sure,", " here it is.")])
def test_a_discourse_marker_is_there_with_its_comma(marker: str, rest: str) -> None:
    chunker = SentenceChunker()
    assert chunker.feed(marker) == [marker]
    assert [*chunker.feed(rest), *chunker.flush()] == [rest.strip()]


def test_the_weight_that_waits_is_that_of_the_text_without_its_pieces() -> None:
    chunker = SentenceChunker()
    assert (chunker.feed("네, 그래요. One"), chunker.waiting_weight) == (["네,", "그래요."], 3)
    assert (chunker.feed(" two"), chunker.waiting_weight) == ([], 6)
    assert (chunker.flush(), chunker.waiting_weight) == (["One two"], 0)


def test_the_weight_that_waits_costs_no_more_in_a_long_text() -> None:
    chunker = SentenceChunker()
    chunker.feed("```\n" + "x = compute(a, b)\n" * 5_000)
    began = time.thread_time()
    for _ in range(1_000):
        chunker.feed("x")
        assert chunker.waiting_weight > 50_000
    assert time.thread_time() - began < 2
