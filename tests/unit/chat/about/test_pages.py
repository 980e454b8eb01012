"""Questions about what Sori knows, keeps, sent and did lead to the page that shows it; other questions do not."""

import pytest

from assistant.chat.about.answers import PLACES, offer_of, page_offer
from assistant.chat.about.index import HelpIndex
from assistant.chat.about.requests import about_request
from assistant.chat.commands import Commands, Intent, Recognised
from assistant.core.settings import Language
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts

ASKED: dict[Language, dict[str, str]] = {
    "ko": {
        "내 컴퓨터에서 뭐가 나갔어?": "privacy",
        "컴퓨터 밖으로 뭐가 나갔어?": "privacy",
        "내 컴퓨터에서 나간 게 있어?": "privacy",
        "밖으로 뭘 보냈어?": "privacy",
        "밖으로 나간 게 뭐야?": "privacy",
        "내 정보 보냈어?": "privacy",
        "토큰 얼마나 썼어?": "usage",
        "토큰 사용량 알려 줘": "usage",
        "도구 뭐 썼어?": "audit",
        "네가 한 일 보여 줘": "audit",
        "응답 시간 보여 줘": "traces",
        "왜 이렇게 답이 느려?": "traces",
        "단축키 알려 줘": "shortcuts",
        "받아쓰기 돼?": "settings",
        "모든 데이터를 지우고 싶어": "privacy",
        "네 이름 바꿀 수 있어?": "names",
        "챗지피티 대화를 가져올 수 있어?": "conversations",
        "메모리를 얼마나 써?": "models",
        "버전이 뭐야?": "about",
        "업데이트는 어떻게 해?": "about",
        "버그 신고는 어떻게 해?": "diagnostics",
        "문제 보고서 만들어 줘": "diagnostics",
    },
    "en": {
        "What left my computer?": "privacy",
        "What has left this computer?": "privacy",
        "How do you store my data?": "privacy",
        "How many tokens have you used?": "usage",
        "How much have I spent on models?": "usage",
        "What tools have you used?": "audit",
        "Show me the audit log": "audit",
        "Why are you so slow?": "traces",
        "What is your response time?": "traces",
        "Show me your shortcuts": "shortcuts",
        "Can I dictate into a text editor?": "settings",
        "How do I delete everything?": "privacy",
        "Can I change your name?": "names",
        "Can I import my ChatGPT conversations?": "conversations",
        "How much memory do you use?": "models",
        "What is your version?": "about",
        "Show me the change log": "about",
        "How do I report a bug?": "diagnostics",
        "Make a bug report": "diagnostics",
        "Create an error report": "diagnostics",
    },
}
OTHER: dict[Language, list[str]] = {
    "ko": [
        "오늘 뭐가 나갔어?",
        "나간 사람이 누구야?",
        "컴퓨터에서 연기가 나갔어",
        "달라진 점이 뭐야?",
        "응답 시간이 뭐야?",
        "새 기능이 뭐야?",
        "변경 사항 정리해 줘",
        "버그가 뭐야?",
        "토큰이 뭐야?",
        "도구 추천해 줘",
        "문제 만들어 줘",
        "오류가 났어",
        "이 문제 어떻게 풀어?",
        "보고서 만들어 줘",
        "돈 얼마나 썼어?",
        "업데이트 소식 알려 줘",
    ],
    "en": [
        "What left the building?",
        "Who left my computer on?",
        "Why is my computer so slow?",
        "What is latency?",
        "What is a changelog?",
        "What is an audit?",
        "What is a bug report?",
        "What are tokens?",
        "What changed?",
        "Make a problem",
        "Make an error",
        "Open the logs",
        "How do I solve this problem?",
        "How much money have I spent this month?",
        "What did you do yesterday?",
        "What's new today?",
    ],
}


def index_of(language: Language) -> HelpIndex:
    return HelpIndex.load(RESOURCES / "about", load_texts(language), language)


class Mute:
    """Answers nothing."""

    async def answer(self, command: Recognised) -> str:
        return ""

    def knows(self, name: str) -> bool:
        return False

    async def stops_nothing(self, command: Recognised) -> bool:
        raise AssertionError(command)

    def named(self, name: str) -> Intent | None:
        return None


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands.load(RESOURCES / "intents", Mute(), {"ko": index_of("ko"), "en": index_of("en")})


def page_for(text: str, language: Language) -> str:
    index = index_of(language)
    request = about_request(text, index)
    offer = None if request is None else offer_of(request, index)
    return "" if offer is None else offer.page


@pytest.mark.parametrize(
    ("language", "text", "page"), [(each, *row) for each, rows in ASKED.items() for row in rows.items()]
)
def test_a_question_about_sori_leads_to_its_page(language: Language, text: str, page: str) -> None:
    assert page_for(text, language) == page


@pytest.mark.parametrize(("language", "text"), [(each, row) for each, rows in OTHER.items() for row in rows])
def test_another_question_goes_to_the_model(language: Language, text: str) -> None:
    assert about_request(text, index_of(language)) is None


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_page_that_help_offers_has_words(language: Language) -> None:
    pages = {each.page for each in PLACES.values() if each.page} | {"memory", "schedule"}
    titles = {page_offer(each, load_texts(language)).title for each in pages}
    assert len(titles) == len(pages)


@pytest.mark.parametrize(
    ("text", "language", "intent", "page"),
    [
        ("뭘 기억하고 있어?", "ko", Intent.MEMORY_TELL, "memory"),
        ("What do you know about me?", "en", Intent.MEMORY_TELL, "memory"),
        ("알람 뭐 있어?", "ko", Intent.ALARM_LIST, "schedule"),
        ("What alarms are set?", "en", Intent.ALARM_LIST, "schedule"),
        ("타이머 얼마나 남았어?", "ko", Intent.TIMER_LIST, "schedule"),
        ("5분 타이머 맞춰 줘", "ko", Intent.TIMER_SET, ""),
        ("몇 시야?", "ko", Intent.TIME, ""),
    ],
)
def test_what_a_command_lists_is_offered_as_a_page(
    commands: Commands, text: str, language: Language, intent: Intent, page: str
) -> None:
    found = commands.recognize(text, language)
    assert found is not None
    assert found.intent is intent
    offer = commands.offer(Recognised(intent=found.intent, language=found.language))
    assert ("" if offer is None else offer.page) == page
