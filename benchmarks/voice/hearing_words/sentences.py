"""Sentences for synthetic voices, each with a conversation before it, and words that sound alike and are not said."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a conversation.

    Attributes:
        language: its language.
        said: the sentence.
        conversation: what was written before it; words of it come again in the sentence.
        names: likely names: of agents, timers, people.
        alike: words that sound like some of the sentence and are not in it.
    """

    language: str
    said: str
    conversation: str
    names: tuple[str, ...]
    alike: tuple[str, ...]


def _korean(said: str, conversation: str, names: str, alike: str) -> Sentence:
    return Sentence("ko", said, conversation, tuple(names.split()), tuple(alike.split()))


def _english(said: str, conversation: str, names: str, alike: str) -> Sentence:
    return Sentence("en", said, conversation, tuple(names.split()), tuple(alike.split()))


SENTENCES: Final = (
    _korean("안방 불을 꺼 줘.", "거실 불을 켰어요. 안방 불도 켤까요?", "도치", "안반 물을 풀을 부를"),
    _korean("민서한테 메시지를 보내 줘.", "민서와 지훈에게 연락할 수 있어요.", "민서 지훈", "민수 메세나 미선"),
    _korean("지훈이 전화번호가 뭐야?", "연락처에 지훈과 수빈이 있어요.", "지훈 수빈", "지운 지은 전화벨"),
    _korean("라면 타이머는 몇 분 남았어?", "라면 타이머를 3분으로 맞췄어요.", "라면", "나면 라멘 하면"),
    _korean(
        "된장찌개 끓이는 법을 알려 줘.", "된장찌개와 김치찌개 중에 무엇이 좋을까요?", "요리사", "된장국 김치 찌르개"
    ),
    _korean("공기청정기를 약하게 틀어 줘.", "공기청정기를 강하게 틀었어요.", "거실", "공기총 청소기 약국"),
    _korean("보일러 온도를 낮춰 줘.", "보일러 온도를 이십사 도로 올렸어요.", "보일러", "보일락 온돌 맞춰"),
    _korean("블라인드를 반만 내려 줘.", "블라인드를 모두 올렸어요.", "블라인드", "블라우스 반말 내놔"),
    _korean("수빈이 생일이 언제야?", "수빈의 생일 선물을 사는 날이에요.", "수빈", "수민 생리 수비"),
    _korean("베란다 창문을 닫아 줘.", "베란다 창문이 열려 있어요.", "베란다", "베테랑 창고 담아"),
    _korean("가습기 물을 채워야 해?", "가습기의 물이 부족해요.", "가습기", "가스기 불을 가슴"),
    _korean(
        "오로라 프로젝트 일정을 보여 줘.",
        "오로라 프로젝트의 다음 회의는 화요일이에요.",
        "오로라",
        "오르락 프로젝터 일정한",
    ),
    _korean("환율이 얼마인지 계산해 줘.", "환율과 수수료를 더하면 십이만 원이에요.", "비서", "한률 확률 개선"),
    _korean("뭉치 밥 줄 시간이야?", "뭉치의 사료를 주는 알림을 만들었어요.", "뭉치", "뭉클 문치 망치"),
    _korean("단비야 오늘 날씨 어때?", "안녕하세요, 단비예요.", "단비 도치", "담비 단지 날치"),
    _korean("도치야 음악 틀어 줘.", "도치가 음악을 멈췄어요.", "도치 단비", "토치 망치 음약"),
    _korean("현관문 잠겼는지 확인해 줘.", "현관문이 닫혀 있어요.", "현관문", "환관 창문 잠깐"),
    _korean("서재 조명을 노란색으로 바꿔 줘.", "서재 조명은 파란색이에요.", "서재", "소재 조망 노란빛"),
    _korean("김 과장님께 보고서를 보내 줘.", "김 과장님의 보고서를 받았어요.", "과장님", "국장님 보고싶어 과자"),
    _korean("분당으로 가는 버스가 있어?", "분당까지 지하철로 사십 분이에요.", "분당", "부당 번당 보스"),
    _korean("약 먹을 시간 알려 줘.", "혈압약은 아침 여덟 시에 드세요.", "혈압약", "양 먹물 시각"),
    _korean("식기세척기를 돌려 줘.", "식기세척기가 다 끝났어요.", "식기세척기", "세탁기 식기장 들려"),
    _korean("하준이 학원 시간을 바꿔 줘.", "하준이의 학원은 다섯 시에 시작해요.", "하준", "하중 학번 하진"),
    _korean("고구마 굽는 시간은 얼마야?", "고구마를 오븐에 사십 분 굽습니다.", "고구마", "고금아 굳는 꼬마"),
    _korean("다음 회의는 세미나실에서 해.", "세미나실을 예약했어요.", "세미나실", "세미나 셈이 해의"),
    _korean("적금 만기가 며칠이야?", "적금은 다음 달에 끝나요. 만기 이자는 삼만 원이에요.", "적금", "저금 만개 적군"),
    _english("Turn off the lamp in the study.", "The lamp in the study is on.", "study", "lamb steady stuffy"),
    _english("Send a message to Aoife please.", "I can reach Aoife and Niamh.", "Aoife Niamh", "Eva massage heifer"),
    _english(
        "How long is the gnocchi timer?", "The gnocchi timer is set for four minutes.", "gnocchi", "naughty nokia tamer"
    ),
    _english(
        "Open the Borealis project.", "The Borealis project has three notes.", "Borealis", "boreal realist object"
    ),
    _english("Ask Jarvis about the weather.", "Hello, I am Jarvis.", "Jarvis Sori", "Javas harvest whether"),
    _english("Sori, play some jazz music.", "Sori stopped the music.", "Sori", "sorry chess musing"),
    _english("When is Siobhan's birthday?", "Siobhan invites you for Saturday.", "Siobhan", "Chevron shaven berth"),
    _english(
        "Add kombucha to the shopping list.",
        "The shopping list has kombucha and miso.",
        "kombucha",
        "computer shipping lisp",
    ),
    _english("Is the dehumidifier running?", "The dehumidifier stopped at nine.", "dehumidifier", "humidifier ruining"),
    _english(
        "Close the skylight in the attic.",
        "The skylight in the attic is open.",
        "skylight attic",
        "skyline addict clothes",
    ),
    _english("Remind me to water the ficus.", "The ficus needs water twice a week.", "ficus", "focus waiter fickle"),
    _english(
        "Set the thermostat to twenty.", "The thermostat is at eighteen degrees.", "thermostat", "thermal plenty state"
    ),
    _english("Call doctor Nguyen tomorrow.", "Doctor Nguyen has time on Monday.", "Nguyen", "win new gain"),
    _english("What does the parka cost?", "The parka from Hokkaido is in stock.", "parka", "parker park coast"),
    _english("Read the note about quinoa.", "You have notes about quinoa and lentils.", "quinoa", "keener node red"),
    _english(
        "Move the meeting with Priya to noon.",
        "Priya and Rahul are in the meeting.",
        "Priya Rahul",
        "prayer moon meaning",
    ),
    _english(
        "Dim the sconces in the foyer.", "The sconces in the foyer are bright.", "sconces foyer", "scones fire dome"
    ),
    _english("Start the espresso machine.", "The espresso machine is cold.", "espresso", "express mission"),
)
