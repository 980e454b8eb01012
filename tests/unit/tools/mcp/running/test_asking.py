"""Questions of a server: one after another, answered by the user alone."""

from collections.abc import Mapping
from typing import Any

import pytest

from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelToolCall
from assistant.tools.attendant import AskReason, Attendant, Question, Reply, WordedReply
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.mcp.running.asking import CANCELLED, DECLINED, Elicited, ServerQuestions
from assistant.tools.tool import ToolError

CALL = FrozenCall.of(ModelToolCall(id="c", name="mcp_odd_form", arguments={}))


class User(Attendant):
    """Answers as scripted."""

    def __init__(self, *words: str | Reply, agrees: Reply = Reply.YES) -> None:
        self.words, self.agrees = list(words), agrees
        self.questions: list[Question] = []
        self.asked: list[str] = []
        self.told: list[str] = []

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        raise AssertionError

    async def ask(self, call: FrozenCall, text: str, exactly: Mapping[str, Any] | None = None) -> Reply:
        self.asked.append(text)
        return self.agrees

    async def ask_words(self, call: FrozenCall, question: Question) -> WordedReply:
        self.questions.append(question)
        answer = self.words.pop(0)
        return WordedReply(answer) if isinstance(answer, Reply) else WordedReply(Reply.YES, answer)

    def progress(self, call: FrozenCall, text: str) -> None:
        self.told.append(text)

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        raise AssertionError


@pytest.fixture
def texts(all_texts: dict[Language, Texts]) -> Texts:
    return all_texts["ko"]


def questions(texts: Texts, user: User, opened: list[str] | None = None) -> ServerQuestions:
    def open_page(url: str) -> None:
        if opened is None:
            raise ToolError("tool_reason.foreign", words="no browser")
        opened.append(url)

    return ServerQuestions(texts=texts, server="날씨", call=CALL, attendant=user, limit=None, open_page=open_page)


def form(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


CITY = {"type": "string", "title": "도시", "description": "어디"}
UNIT = {"type": "string", "enum": ["c", "f"], "enumNames": ["섭씨", "화씨"], "default": "c"}


async def test_fields_are_asked_one_after_another_with_the_server_s_name(texts: Texts) -> None:
    user = User("부산", "화씨")
    told = await questions(texts, user).form("어느 날씨요?", form("city", "unit", city=CITY, unit=UNIT))
    assert told == Elicited("accept", {"city": "부산", "unit": "f"})
    first, second = user.questions
    assert "날씨" in first.text
    assert "어느 날씨요? 도시 (어디)" in first.text
    assert not first.skippable
    assert second.options == ("섭씨", "화씨")
    assert second.skippable
    assert "섭씨" in second.text


@pytest.mark.parametrize("skips", [Reply.SKIP, "건너뛰어 줘.", "Skip"])
async def test_a_skipped_field_gets_its_default_or_nothing(texts: Texts, skips: str | Reply) -> None:
    both = form("unit", unit=UNIT, city=CITY)
    assert await questions(texts, User(skips, skips)).form("?", both) == Elicited("accept", {"unit": "c"})


async def test_a_wrong_answer_is_asked_for_once_more_with_the_reason(texts: Texts) -> None:
    days = form("days", days={"type": "integer", "minimum": 1})
    user = User("0", "2")
    assert await questions(texts, user).form("며칠?", days) == Elicited("accept", {"days": 2})
    assert user.questions[1].text.startswith(texts("mcp.wrong.too_small", limit="1"))
    user = User("many", "a lot")
    assert await questions(texts, user).form("며칠?", days) == CANCELLED
    assert user.told == [texts("mcp.unusable", server="날씨")]


@pytest.mark.parametrize(("reply", "told"), [(Reply.NO, DECLINED), (Reply.LATE, CANCELLED), (Reply.UNASKED, CANCELLED)])
async def test_a_refusal_and_no_decision_are_told_apart(texts: Texts, reply: Reply, told: Elicited) -> None:
    assert await questions(texts, User("부산", reply)).form("?", form("a", "b", a=CITY, b=CITY)) == told
    assert await questions(texts, User(agrees=reply)).form("?", form()) == told
    assert await questions(texts, User(agrees=reply), []).page("?", "https://a.kr") == told


async def test_a_form_that_only_wants_agreement_is_a_question_with_yes_or_no(texts: Texts) -> None:
    user = User()
    sure = form("sure", sure={"type": "boolean", "title": "모두 지우기"})
    assert await questions(texts, user).form("지울까요?", sure) == Elicited("accept", {"sure": True})
    assert "지울까요? 모두 지우기" in user.asked[0]
    assert await questions(texts, user).form("계속?", form()) == Elicited("accept", {})


async def test_several_truths_are_asked_one_by_one(texts: Texts) -> None:
    user = User("네", "아니요")
    both = form("a", "b", a={"type": "boolean"}, b={"type": "boolean"})
    assert await questions(texts, user).form("?", both) == Elicited("accept", {"a": True, "b": False})
    assert user.questions[0].options == (texts("mcp.yes"), texts("mcp.no"))


async def test_a_usual_value_is_told_in_the_user_s_words(texts: Texts) -> None:
    user = User(Reply.SKIP, Reply.SKIP)
    usual = form("a", a={"type": "boolean", "default": False}, b={"type": "integer", "default": 3})
    assert await questions(texts, user).form("켤까요", usual) == Elicited("accept", {"a": False, "b": 3})
    assert texts("mcp.usual_value", value=texts("mcp.no")) in user.questions[0].text
    assert texts("mcp.usual_value", value="3") in user.questions[1].text
    assert "켤까요 a. " in user.questions[0].text


async def test_a_form_that_cannot_be_asked_is_declined_and_told(texts: Texts) -> None:
    user = User()
    assert await questions(texts, user).form("?", form(a={"type": "object"})) == DECLINED
    assert "날씨" in user.told[0]


async def test_the_user_is_warned_of_secrets_and_nothing_is_disguised(texts: Texts) -> None:
    user = User("x")
    secret = form("p", p={"type": "string", "title": "비밀\u202e번호", "description": "API key"})
    await questions(texts, user).form("적어\u3164 주세요", secret)
    asked = user.questions[0].text
    assert texts("mcp.no_secrets") in asked
    assert "\u202e" not in asked
    assert "\u3164" not in asked


async def test_a_page_is_shown_with_its_host_and_opened_after_a_yes(texts: Texts) -> None:
    opened: list[str] = []
    user = User()
    assert await questions(texts, user, opened).page("로그인", "https://a.kr/in?x=1") == Elicited("accept")
    assert opened == ["https://a.kr/in?x=1"]
    assert "a.kr" in user.asked[0]
    disguised = User()
    await questions(texts, disguised, opened).page("?", "https://аpple.com/")
    assert "xn--" in disguised.asked[0]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "https://", "https://a.kr/\u202e", "a b"])
async def test_an_address_that_is_no_page_is_declined(texts: Texts, url: str) -> None:
    user = User()
    assert await questions(texts, user, []).page("?", url) == DECLINED
    assert user.asked == []
    assert user.told


async def test_a_page_that_cannot_be_opened_is_told(texts: Texts) -> None:
    user = User()
    assert await questions(texts, user).page("?", "https://a.kr/") == CANCELLED
    assert "no browser" in user.told[0]
