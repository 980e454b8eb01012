import pytest

from assistant.chat.commands import Commands, Intent, Recognised
from assistant.core.machine.events import Meaning
from assistant.core.settings import Language
from tests.unit.conftest import INTENTS


class Mute:
    async def answer(self, command: Recognised) -> str:
        return ""

    async def stops_nothing(self, command: Recognised) -> bool:
        raise AssertionError(command)

    def knows(self, name: str) -> bool:
        return False

    def named(self, name: str) -> Intent | None:
        return {"코치": Intent.SWITCH_AGENT, "home": Intent.SWITCH_WORKSPACE}.get(name)


@pytest.fixture(scope="module")
def grammar() -> Commands:
    return Commands.load(INTENTS, Mute())


SENTENCES: dict[Intent, list[str]] = {
    Intent.TIME: [
        "지금 몇 시야?",
        "지금몇시야",
        "몇 시",
        "몇 시예요?",
        "몇 시입니까",
        "지금 몇 시 됐어?",
        "지금 몇 시인지 알려줘",
        "현재 시각 알려 주세요.",
        "시간 좀 알려줘",
        "시간이 어떻게 돼요?",
        "저기, 지금 몇 시야?",
        "헤이 자비스, 지금 몇 시니?",
        "Hey Jarvis 지금 몇 시야?",
        "음 지금 몇 시지",
        "What time is it?",
        "what time is it now please",
        "Hey Jarvis, what time is it?",
        "What's the time?",
        "whats the time",
        "Could you tell me the time, please?",
        "do you know what time it is",
        "tell me the current time",
    ],
    Intent.DATE: [
        "오늘 며칠이야?",
        "오늘이 몇 월 며칠이에요?",
        "오늘 몇일이지",
        "오늘 날짜 알려줘",
        "오늘 날짜가 어떻게 돼?",
        "오늘 며칠 무슨 요일이야",
        "What's the date?",
        "what is today's date",
        "What date is it today?",
        "tell me today's date",
    ],
    Intent.DAY: [
        "오늘 무슨 요일이야?",
        "무슨 요일이지",
        "오늘 요일이 뭐야",
        "What day is it?",
        "what day of the week is it today",
    ],
    Intent.TIMER_LIST: [
        "타이머 얼마나 남았어?",
        "타이머 몇 분 남았는지 알려줘",
        "타이머 남은 시간 알려 주세요",
        "타이머 뭐 있어?",
        "타이머 목록 보여줘",
        "How much time is left on my timer?",
        "how long is left on the timer",
        "list my timers",
        "what timers are running",
        "do I have any timers",
    ],
    Intent.TIMER_CANCEL: ["타이머 취소해 줘", "타이머 꺼", "타이머 그만", "Cancel the timer", "stop the timer please"],
    Intent.VOLUME_UP: [
        "소리 키워줘",
        "볼륨 좀 올려 주세요",
        "더 크게 말해줘",
        "소리가 너무 작아",
        "turn it up",
        "Volume up",
        "louder please",
    ],
    Intent.VOLUME_DOWN: ["소리 줄여줘", "볼륨 낮춰", "좀 작게 말해 줘", "turn the volume down", "quieter"],
    Intent.VOLUME_GET: ["지금 볼륨 몇이야?", "what's the volume", "what is the sound level"],
    Intent.VOLUME_MUTE: ["음소거", "음소거 해줘", "소리 꺼줘", "mute", "turn off the sound"],
    Intent.VOLUME_UNMUTE: ["음소거 해제", "음소거 풀어줘", "소리 켜줘", "unmute", "turn the sound back on"],
    Intent.STOP: [
        "그만 좀 해",
        "조용히 좀 해 줄래?",
        "그만",
        "그만해",
        "멈춰!",
        "잠깐",
        "잠깐만요",
        "정지",
        "스톱",
        "조용히 해",
        "Stop",
        "stop it",
        "be quiet",
        "never mind",
    ],
    Intent.END: [
        "대화 종료",
        "대화 종료해 줘",
        "이제 대화 끝내자",
        "그만할게",
        "이제 그만할게요",
        "고마워, 이제 됐어",
        "안녕히 계세요",
        "stop listening",
        "Goodbye!",
        "thanks, that's all",
        "end the conversation",
        "bye bye",
    ],
}


@pytest.mark.parametrize(
    ("sentence", "intent"), [(sentence, intent) for intent, sentences in SENTENCES.items() for sentence in sentences]
)
def test_a_plain_command_is_recognised_whatever_language_is_tried_first(
    grammar: Commands, sentence: str, intent: Intent
) -> None:
    for hint in ("ko", "en"):
        language: Language = "ko" if hint == "ko" else "en"
        found = grammar.recognize(sentence, language)
        assert found is not None
        assert found.intent is intent


@pytest.mark.parametrize(
    "sentence",
    [
        "도쿄는 지금 몇 시야?",
        "회의가 몇 시야?",
        "내일 몇 시에 일어나야 해?",
        "몇 시에 문 닫아?",
        "타이머가 뭐야?",
        "타이머는 어떻게 맞춰?",
        "타이머 앱 추천해줘",
        "5분 만에 할 수 있는 운동 알려줘",
        "서울에서 부산까지 몇 시간 걸려?",
        "오늘 날씨 어때?",
        "크리스마스가 무슨 요일이야?",
        "볼륨이 뭐야?",
        "소리가 뭐야?",
        "소리의 속도는 얼마야?",
        "그만두고 싶은데 어떻게 해야 할까?",
        "그만큼 좋은 노래 있어?",
        "대화를 잘하는 방법 알려줘",
        "시간 관리 잘하는 법 알려줘",
        "네",
        "아니요",
        "",
        "?!",
        "What time is it in Tokyo?",
        "what time does the store close",
        "What day is Christmas?",
        "what is a timer",
        "how do timers work",
        "how do I stop a nosebleed",
        "stop the music in the kitchen",
        "what's the volume of a sphere",
        "What is sound?",
        "what is the sound",
        "I set a timer for my mother and then we talked",
        "yes",
        "no",
        "end of the world movies",
        "지금 몇 시야? " * 20,
        "볼륨 줄이지 마",
        "볼륨 올리라고 했잖아",
        "볼륨 줄이고 음악 틀어 줘",
        "볼륨 줄여 줘. 그리고 날씨 알려 줘",
        '"볼륨 30으로 해 줘"',
        "그만하지 마",
        "그만하고 날씨 알려 줘",
        "대화 끝내지 마",
        "노래 끄고 타이머 꺼 줘",
        "알람 말고 타이머 꺼 줘",
        "라면 타이머 끄지 마",
        "음소거하지 마",
        "지금 몇 시야? 그리고 날씨는?",
        "5시에 전화하라고 알려 줘. 그리고 날씨는?",
        "그만\n시 한 편 써 줘",
        "don't stop",
        "never turn the volume up",
        "turn the volume down if it's loud",
        "turn the volume down and tell me a joke",
        'what does "turn the volume down" mean',
        "“Set a timer for five minutes.”",
        "stop talking and set the timer",
        "cancel the alarm but not the timer",
        "cancel the pasta and rice timer",
        "don't end the conversation",
        "what time is it and what's the weather",
        "remind me to call mom at 5 and tell me a joke",
        "remind me at 5 to call mom. What's the weather?",
        "stop\nwrite a poem",
    ],
)
def test_what_only_sounds_like_a_command_goes_to_the_model(grammar: Commands, sentence: str) -> None:
    assert grammar.recognize(sentence, "ko") is None
    assert grammar.meaning(sentence, ending=False) is Meaning.REQUEST


@pytest.mark.parametrize(
    ("sentence", "seconds"),
    [
        ("5분 타이머", 300),
        ("타이머 5분", 300),
        ("삼십 분 타이머 맞춰 줘", 1800),
        ("타이머 열 분 맞춰 주세요", 600),
        ("스무 분 타이머", 1200),
        ("이십오 분 타이머 켜줘", 1500),
        ("한 시간 반 타이머 시작해", 5400),
        ("두 시간 타이머", 7200),
        ("1시간 30분 타이머 설정해줘", 5400),
        ("반 시간 타이머", 1800),
        ("일 분 반 타이머", 90),
        ("1분 30초 타이머", 90),
        ("구십 초 타이머", 90),
        ("백이십 분 타이머", 7200),
        ("10분 뒤에 알려줘", 600),
        ("십 분 있다가 깨워줘", 600),
        ("3분만 재줘", 180),
        ("저기, 타이머 삼분으로 부탁해", 180),
        ("Set a timer for ten minutes", 600),
        ("set a 5-minute timer", 300),
        ("five minute timer", 300),
        ("start a timer for one hour and thirty minutes", 5400),
        ("set a timer for an hour and a half", 5400),
        ("set a timer for two and a half minutes", 150),
        ("set a timer for half an hour", 1800),
        ("timer for ninety seconds", 90),
        ("please set a timer for a hundred and twenty minutes", 7200),
        ("remind me in 20 minutes", 1200),
        ("give me a quarter of an hour timer", 900),
        ("1.5시간 타이머 맞춰 줘", 5400),
        ("0.5시간 타이머", 1800),
        ("2.5분 타이머", 150),
        ("½시간 타이머", 1800),
        ("1½시간 타이머", 5400),
        ("1시간 반 타이머", 5400),
        ("90초 타이머", 90),
        ("1,500초 타이머", 1500),
        ("1.5시간 뒤에 알려 줘", 5400),
        ("자비스,5분 타이머 맞춰 줘.", 300),
        ("헤이 자비스~ 5분 타이머~", 300),
        ("타이머: 5분", 300),
        ("set a 1.5 hour timer", 5400),
        ("set a timer for two and a half hours", 9000),
        ("set a timer for 1,500 seconds", 1500),
        ("set a timer for ½ hour", 1800),
        ("set a twenty-five minute timer", 1500),
        ("Jarvis, 5-minute timer!", 300),
    ],
)
def test_a_timer_is_as_long_as_was_said(grammar: Commands, sentence: str, seconds: int) -> None:
    found = grammar.recognize(sentence, "ko")
    assert found is not None
    assert (found.intent, found.duration_s) == (Intent.TIMER_SET, seconds)


@pytest.mark.parametrize(
    "sentence",
    [
        "5~10분 타이머",
        "5 ~ 10분 타이머 맞춰 줘",
        "5-10분 타이머",
        "5분~10분 타이머",
        "5, 10분 타이머",
        "5 10분 타이머",
        "5에서 10분 타이머",
        "두세 시간 타이머",
        "타이머 1:30",
        ".5시간 타이머",
        "-5분 타이머",
        "5분 타이머, 10분 타이머",
        "5~10분 뒤에 알려 줘",
        "볼륨 30~40으로",
        "볼륨 12.5로",
        "볼륨 -10",
        "내일 타이머 5분 맞춰 줘",
        "격주 타이머 5분",
        "set a timer for 5-10 minutes",
        "set a timer for 5 to 10 minutes",
        "set a timer for five or ten minutes",
        "set a timer for 1 1/2 hours",
        "set a 5 minute timer for tomorrow",
        "set a 5 minute timer for ten minutes",
        "remind me in 5-10 minutes",
        "volume 30-40",
        "set the volume to 12.5",
        "set the volume to .5",
    ],
)
def test_a_figure_that_is_not_wholly_understood_goes_to_the_model(grammar: Commands, sentence: str) -> None:
    assert grammar.recognize(sentence, "ko") is None


@pytest.mark.parametrize(
    ("sentence", "intent", "percent"),
    [
        ("볼륨 30% 올려", Intent.VOLUME_UP, 30),
        ("볼륨 30퍼센트만큼 올려 줘", Intent.VOLUME_UP, 30),
        ("볼륨 삼십 올려", Intent.VOLUME_UP, 30),
        ("볼륨을 10 더 키워 줘", Intent.VOLUME_UP, 10),
        ("소리 20% 더 낮춰 줘", Intent.VOLUME_DOWN, 20),
        ("볼륨 20 줄여 줘", Intent.VOLUME_DOWN, 20),
        ("볼륨 올려", Intent.VOLUME_UP, None),
        ("볼륨 30으로 올려 줘", Intent.VOLUME_SET, 30),
        ("볼륨 30%까지 올려", Intent.VOLUME_SET, 30),
        ("소리 20%로 줄여 줘", Intent.VOLUME_SET, 20),
        ("볼륨 50.", Intent.VOLUME_SET, 50),
        ("turn the volume up 30%", Intent.VOLUME_UP, 30),
        ("turn up the volume by 30 percent", Intent.VOLUME_UP, 30),
        ("raise the volume by ten points", Intent.VOLUME_UP, 10),
        ("lower the volume 20 percent", Intent.VOLUME_DOWN, 20),
        ("turn it down by 15", Intent.VOLUME_DOWN, 15),
        ("volume up", Intent.VOLUME_UP, None),
        ("turn the volume up to 30", Intent.VOLUME_SET, 30),
        ("lower the volume to 20 percent", Intent.VOLUME_SET, 20),
        ("set the volume to 50.", Intent.VOLUME_SET, 50),
    ],
)
def test_a_volume_is_changed_to_or_by_a_figure(
    grammar: Commands, sentence: str, intent: Intent, percent: int | None
) -> None:
    found = grammar.recognize(sentence, "ko")
    assert found is not None
    assert (found.intent, found.percent) == (intent, percent)


@pytest.mark.parametrize(
    ("sentence", "name", "seconds"),
    [
        ("라면 타이머 3분 맞춰줘", "라면", 180),
        ("3분 라면 타이머 맞춰줘", "라면", 180),
        ("Set a Pasta timer for eight minutes", "Pasta", 480),
        ("set an 8 minute timer for the eggs", "eggs", 480),
        ("set a timer called green tea for 3 minutes", "green tea", 180),
    ],
)
def test_a_timer_can_have_a_name(grammar: Commands, sentence: str, name: str, seconds: int) -> None:
    found = grammar.recognize(sentence, "ko")
    assert found is not None
    assert (found.intent, found.name, found.duration_s) == (Intent.TIMER_SET, name, seconds)


@pytest.mark.parametrize(
    ("sentence", "every", "seconds", "name"),
    [
        ("타이머 모두 취소해줘", True, None, ""),
        ("모든 타이머 취소", True, None, ""),
        ("5분 타이머 취소해 줘", False, 300, ""),
        ("라면 타이머 꺼줘", False, None, "라면"),
        ("cancel all timers", True, None, ""),
        ("cancel the five minute timer", False, 300, ""),
        ("cancel the pasta timer", False, None, "pasta"),
    ],
)
def test_it_is_understood_which_timer_to_cancel(
    grammar: Commands, sentence: str, every: bool, seconds: float | None, name: str
) -> None:
    found = grammar.recognize(sentence, "ko")
    assert found is not None
    assert (found.intent, found.all, found.duration_s, found.name) == (Intent.TIMER_CANCEL, every, seconds, name)


@pytest.mark.parametrize(
    ("sentence", "day"),
    [("내일 며칠이야?", 1), ("모레 무슨 요일이야", 2), ("어제 무슨 요일이었지", -1), ("what day was yesterday", -1)],
)
def test_other_days_than_today_are_understood(grammar: Commands, sentence: str, day: int) -> None:
    found = grammar.recognize(sentence, "ko")
    assert found is not None
    assert found.day == day


@pytest.mark.parametrize(
    ("sentence", "percent"),
    [
        ("볼륨 50", 50),
        ("볼륨 삼십 퍼센트로 맞춰 줘", 30),
        ("소리 20%로 줄여줘", 20),
        ("볼륨 최대로", 100),
        ("볼륨 절반으로 줄여줘", 50),
        ("set the volume to fifty percent", 50),
        ("volume 30%", 30),
        ("max volume", 100),
    ],
)
def test_a_volume_is_understood(grammar: Commands, sentence: str, percent: int) -> None:
    found = grammar.recognize(sentence, "ko")
    assert found is not None
    assert (found.intent, found.percent) == (Intent.VOLUME_SET, percent)


@pytest.mark.parametrize(
    ("sentence", "meaning"),
    [
        ("네", Meaning.YES),
        ("응", Meaning.YES),
        ("그래", Meaning.YES),
        ("네 종료해 주세요", Meaning.YES),
        ("응 끝내줘", Meaning.YES),
        ("종료해 줘", Meaning.YES),
        ("그만할게요", Meaning.YES),
        ("Yes", Meaning.YES),
        ("yes please", Meaning.YES),
        ("sure, end it", Meaning.YES),
        ("아니", Meaning.NO),
        ("아니요", Meaning.NO),
        ("아뇨, 계속해요", Meaning.NO),
        ("계속할래", Meaning.NO),
        ("아니 종료하지 마", Meaning.NO),
        ("잠깐만", Meaning.NO),
        ("No", Meaning.NO),
        ("keep going", Meaning.NO),
        ("not yet", Meaning.NO),
        ("그만들어", Meaning.CLOSING),
        ("안녕히 계세요", Meaning.CLOSING),
        ("멈춰", Meaning.STOP),
        ("오늘 날씨 어때?", Meaning.REQUEST),
        ("아니 그게 아니라 내일 비 와?", Meaning.REQUEST),
        ("지금 몇 시야?", Meaning.COMMAND),
        ("흠냐", Meaning.REQUEST),
    ],
)
def test_replies_to_the_ending_question_are_understood(grammar: Commands, sentence: str, meaning: Meaning) -> None:
    assert grammar.meaning(sentence, ending=True) is meaning


@pytest.mark.parametrize(
    ("sentence", "meaning"),
    [
        ("네", Meaning.REQUEST),
        ("아니요", Meaning.REQUEST),
        ("그만", Meaning.STOP),
        ("stop", Meaning.STOP),
        ("대화 종료", Meaning.CLOSING),
        ("그만할게", Meaning.CLOSING),
        ("stop listening", Meaning.CLOSING),
        ("지금 몇 시야?", Meaning.COMMAND),
    ],
)
def test_outside_that_question_yes_and_no_are_requests(grammar: Commands, sentence: str, meaning: Meaning) -> None:
    assert grammar.meaning(sentence, ending=False) is meaning


@pytest.mark.parametrize(
    ("sentence", "meaning"),
    [
        ("그만 그만 그만 그만", Meaning.STOP),
        ("그만그만그만", Meaning.STOP),
        ("잠깐만 잠깐만", Meaning.STOP),
        ("조용히 해. 조용히 해. 조용히 해.", Meaning.STOP),
        ("stop stop stop stop", Meaning.STOP),
        ("Stop, stop, stop!", Meaning.STOP),
        ("stop it stop it", Meaning.STOP),
        ("대화 종료 대화 종료", Meaning.CLOSING),
        ("아니 아니 아니 아니 그거 말고", Meaning.REQUEST),
        ("no no no no", Meaning.REQUEST),
        ("stop the music stop the bus", Meaning.REQUEST),
        ("볼륨 올려 볼륨 올려", Meaning.REQUEST),  # it would count twice or once: the model decides
        ("그만 그만하라고 써 줘", Meaning.REQUEST),
        ("됐어 그만", Meaning.STOP),
        ("그만 됐어요", Meaning.STOP),
        ("잠깐 멈춰 줘", Meaning.STOP),
        ("조용히 해. 그만!", Meaning.STOP),
        ("그만, 취소해 줘", Meaning.STOP),
        ("이제 그만 조용", Meaning.STOP),
        ("멈춰 그만 잠깐", Meaning.STOP),
        ("hang on", Meaning.STOP),
        ("Hang on a second.", Meaning.STOP),
        ("Stop, never mind.", Meaning.STOP),
        ("stop please, enough", Meaning.STOP),
        ("wait wait, hold on", Meaning.STOP),
        ("No, stop!", Meaning.STOP),
        ("됐어 다음 질문", Meaning.REQUEST),
        ("그만 먹고 싶어", Meaning.REQUEST),
        ("취소 수수료 알려 줘", Meaning.REQUEST),
        ("멈춰 있는 시계는?", Meaning.REQUEST),
        ("조용한 노래 틀어 줘", Meaning.REQUEST),
        ("never mind the weather", Meaning.REQUEST),
        ("hold on to your hat", Meaning.REQUEST),
        ("wait for me at nine", Meaning.REQUEST),
        ("stop words in search", Meaning.REQUEST),
        ("enough is enough, what does it mean", Meaning.REQUEST),
    ],
)
def test_stop_words_mean_the_same_repeated_and_one_after_another(
    grammar: Commands, sentence: str, meaning: Meaning
) -> None:
    assert grammar.meaning(sentence, ending=False) is meaning


@pytest.mark.parametrize(
    ("text", "intent", "name"),
    [
        ("워크스페이스를 집으로 바꿔 줘", Intent.SWITCH_WORKSPACE, "집"),
        ("코치로 바꿔 줘", Intent.SWITCH_AGENT, "코치"),
        ("switch to home", Intent.SWITCH_WORKSPACE, "home"),
    ],
)
def test_a_switch_is_a_command(grammar: Commands, text: str, intent: Intent, name: str) -> None:
    found = grammar.recognize(text, "ko")
    assert found is not None
    assert (found.intent, found.text) == (intent, name)


@pytest.mark.parametrize("text", ["요리사로 바꿔 줘", "switch to dark mode", "볼륨을 30으로 바꿔 줘"])
def test_a_name_that_nothing_has_is_no_switch(grammar: Commands, text: str) -> None:
    found = grammar.recognize(text, "ko")
    assert found is None or found.intent is Intent.VOLUME_SET


@pytest.mark.parametrize(
    "text",
    [
        "change the agent to gardener and tell me a joke",
        "switch to home, then tell me a joke",
        "switch the workspace to home and turn the volume down",
        "if it rains switch to home",
        "how do I switch to the gardener agent",
        "에이전트를 코치로 바꾸고 농담 하나 해 줘",
        "농담 하나 하고 코치 에이전트로 바꿔 줘",
        "농담 하나 해 주고 코치로 바꿔 줘",
        "코치 에이전트 말고 요리사 에이전트로 바꿔 줘",
        "비가 오면 코치 에이전트로 바꿔 줘",
        "코치로 바꾸지 마",
        '"에이전트를 코치로 바꿔 줘"',
    ],
)
def test_a_switch_with_more_in_the_sentence_goes_to_the_model(grammar: Commands, text: str) -> None:
    assert grammar.recognize(text, "ko") is None
