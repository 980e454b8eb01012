"""Names, other speech and voices with which ``spoken_names.py`` and ``self_enrolment.py`` measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assistant.voice.waking.own_takes import SPEEDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Names and the voices that say them.

    Attributes:
        names: the names by language.
        voices: engine and voice by language.
        sentences: other speech by language; the first two voices say it.
        talk: sentences that begin with a name, or with a word that begins like one, and call nobody.
        others: engine and voice of further callers by language, who enrol nothing.
        speeds: speeds of the calls, in turn.
        twice: whether calls of English names are also read in Korean, as beside a Korean name.
    """

    names: Mapping[str, Sequence[str]]
    voices: Mapping[str, Sequence[tuple[str, str]]]
    sentences: Mapping[str, Sequence[str]]
    talk: Sequence[str]
    others: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    speeds: Sequence[float] = (1.0,)
    twice: bool = False

    @property
    def every_name(self) -> tuple[str, ...]:
        """The names of both languages."""
        return tuple(name for names in self.names.values() for name in names)


REPORTED = Cast(
    names={
        "ko": ("도치야", "토리", "김비서", "루나야", "별님아", "하늘", "자비스", "꼬마 요정", "박사님", "뽀삐야"),
        "en": ("Jarvis", "hey computer", "Friday", "Samantha", "Alexa"),
    },
    voices={
        "ko": tuple(
            ("kokoro", voice)
            for voice in (
                "kf_sori", "hf_alpha", "hm_omega", "alpha_mich", "alpha_gon", "alpha_nez",
            )
        ),
        "en": (("kokoro", "af_heart"), ("kokoro", "am_michael"), ("piper", ""), ("kokoro", "bf_emma")),
    },
    sentences={
        "ko": (
            "오늘 저녁에 뭐 먹을까?", "어제 그 드라마 봤어?", "다음 소식입니다. 정부가 새 대책을 내놓았습니다.",
            "엄마, 나 학교 다녀올게.", "거기 리모컨 좀 줘.", "비가 많이 올 것 같은데.", "도서관에 같이 갈래?",
            "하루 종일 일만 했어.", "토요일에 시간 있어?", "김치찌개 끓여 줄까?", "박수 한번 쳐 주세요.",
            "누나는 언제 와?",
        ),
        "en": (
            "What do you want for dinner tonight?", "Did you see the game yesterday?", "I think it is going to rain.",
            "The computer is in the other room.", "See you on Saturday morning.", "A lecture starts at nine.",
        ),
    },
    talk=(
        "하늘이 참 맑다.", "하늘색 옷 어디 있어?", "토리는 자고 있어.", "도치가 또 숨었어.", "박사님이 그러셨어.",
        "김비서가 왜 그럴까?", "꼬마 요정이 나오는 책이야.", "별님이 반짝거려.", "루나틱이라는 노래 알아?",
        "뽀삐는 밥 먹었어?", "도토리 주우러 가자.", "자비스가 뭐야?",
    ),
)  # fmt: skip

TUNING = Cast(
    names={
        "ko": ("보리야", "나래야", "미르", "집사님", "초코야", "두부야", "세바스찬", "달님아", "한별", "코코", "아라",
               "제임스"),
        "en": ("Athena", "Oliver", "hey buddy", "Nova", "Sebastian"),
    },
    voices={
        "ko": (("kokoro", "beta_teb"), ("kokoro", "jfalpha_kumo"), ("kokoro", "alpha_heart")),
        "en": (("kokoro", "af_bella"), ("kokoro", "bm_george")),
    },
    sentences={
        "ko": (
            "저녁 먹고 산책 나갈까?", "집에 도착하면 전화해.", "미리 준비해 두는 게 좋겠어.", "두 번 말하게 하지 마.",
            "초등학교 앞에서 만나자.", "아까 그 사람 누구야?", "한 번만 더 해 보자.", "날씨가 많이 추워졌네.",
            "보통은 여섯 시에 끝나.", "코트 입고 나가.", "세 시까지 오면 돼.", "다음 주에 시험이 있어.",
        ),
        "en": (
            "Are you coming to the party?", "Nobody told me about the meeting.", "I already sent the email.",
            "All of them were sold out.", "Hey, can you open the door?", "The novel was quite good.",
        ),
    },
    talk=(
        "아라비아 음식 먹어 봤어?", "코코넛 좀 사 와.", "미르가 어제 왔어.", "한별이는 학교에 갔어.",
        "두부 한 모만 사 와.", "초코 우유 마실래.", "달님이 떴네.", "집사님이 그랬어.", "나래가 노래를 잘해.",
        "제임스 본드 영화 볼래?",
    ),
)  # fmt: skip
"""Names and voices with which the limits were chosen; none of them is reported."""

LOOKED_AT = Cast(
    names={
        "ko": ("가람아", "다온", "바다야", "새롬", "솔이야", "이든", "찬우야", "단비", "김반장", "구름아"),
        "en": ("Marvin", "Felix", "hey Juno", "Clara", "Dexter"),
    },
    voices={
        "ko": (
            ("kokoro", "kf_sori"), ("kokoro", "hf_alpha"), ("kokoro", "hm_omega"), ("kokoro", "alpha_mich"),
            ("kokoro", "alpha_heart"),
        ),
        "en": (("kokoro", "af_heart"), ("kokoro", "am_michael"), ("piper", "")),
    },
    sentences={
        "ko": (
            "가방 어디에 뒀어?", "다음 역은 시청역입니다.", "바닥 좀 닦아 줘.", "새로 산 신발이야.",
            "솔직히 잘 모르겠어.", "이따가 다시 올게.", "찬물 한 잔만 줘.", "단추가 떨어졌어.",
            "김밥 두 줄 포장해 주세요.", "구두가 너무 작아.", "아까 전화 왔었어.", "오늘은 좀 쉬자.",
        ),
        "en": (
            "The market closes at six.", "I feel a bit cold today.", "You know what I mean.",
            "Can we talk about it later?", "The deck needs new paint.", "She cleared the table.",
        ),
    },
    talk=(
        "바다가 참 넓다.", "바다사자를 봤어.", "구름이 많이 꼈네.", "구름빵 책 읽어 줘.", "단비가 내렸어.",
        "가람이는 자고 있어.", "찬우가 먼저 갔어.", "김반장이 그랬어.", "이든이 생일이야.", "솔이 옷 어디 있어?",
    ),
)  # fmt: skip
"""Names and sentences that were written after the limits had been chosen. Two rules came from a look at them."""

HELD_OUT = Cast(
    names={
        "ko": ("누리야", "보늬", "채원아", "두리", "별이야", "한솔", "은하수", "최실장", "해찬아", "로하"),
        "en": ("Hazel", "Bruno", "hey Atlas", "Ivy", "Monty"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "누가 문 좀 열어 줘.", "보나 마나 늦을 거야.", "채소를 더 먹어야지.", "둘이서 가면 되잖아.",
            "별로 안 추워.", "한 시간만 더 잘게.", "은행은 네 시에 닫아.", "최고 기온은 오 도입니다.",
            "해가 벌써 졌네.", "로비에서 기다려.",
        ),
        "en": (
            "He said it was fine.", "Bring some bread home.", "At last it stopped raining.", "I've been there twice.",
            "Monday is a holiday.",
        ),
    },
    talk=(
        "누리는 어디 갔어?", "두리가 울고 있어.", "별이 정말 많다.", "한솔이 생일이야.", "은하수가 보여.",
        "최실장이 그랬어.", "해찬이는 키가 커.", "로하스 식품이 뭐야?",
    ),
)  # fmt: skip
"""Names and sentences that nobody had looked at before the run that is reported."""

UNSEEN = Cast(
    names={
        "ko": ("마루야", "소담", "유나야", "이슬아", "라온", "민준아", "정과장", "무지개", "시우", "해님아"),
        "en": ("Oscar", "Willow", "hey Pixel", "Greta", "Rufus"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "마트에 들렀다 갈게.", "소리가 너무 커.", "유치원은 몇 시에 끝나?", "이번 주는 좀 바빠.",
            "라면 끓여 먹을까?", "민원 전화가 또 왔어.", "정말 오랜만이다.", "무슨 일 있었어?",
            "시장에 사람이 많더라.", "해 지기 전에 돌아와.",
        ),
        "en": (
            "I asked her about it.", "Will you be late tonight?", "He picked the wrong one.", "Great, see you there.",
            "The roof is leaking again.",
        ),
    },
    talk=(
        "마루가 너무 미끄러워.", "유나는 아직 자고 있어.", "이슬이 맺혔어.", "민준이가 먼저 왔어.",
        "정과장이 전화했어.", "무지개가 떴다.", "시우 생일이 언제지?", "해님이 방긋 웃어.",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=SPEEDS,
    twice=True,
)  # fmt: skip
"""Names and sentences for the enrolment by Sori's voices. Nobody had looked at them before the run that is reported."""

FOURTH = Cast(
    names={
        "ko": ("다람아", "여울", "서연아", "지호야", "노을", "태양아", "오비서", "솔방울", "예준", "미나야"),
        "en": ("Jasper", "Stella", "hey Milo", "Winston", "Penny"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "다리가 좀 아파.", "여기 앉아도 돼?", "서점에 들렀다 가자.", "지하철이 또 늦네.", "노래 한 곡 불러 봐.",
            "태권도 학원 몇 시야?", "오후에는 비가 그친대.", "소금 좀 더 넣어.", "예전에는 안 그랬는데.",
            "미안해, 깜빡했어.",
        ),
        "en": (
            "Just a moment, please.", "Still nothing in the mail.", "My luggage is in the hall.", "When does it start?",
            "Pen and paper will do.",
        ),
    },
    talk=(
        "다람쥐가 나무에 올라갔어.", "서연이가 상을 받았어.", "지호는 축구를 좋아해.", "노을이 참 예쁘다.",
        "태양이 너무 뜨거워.", "오비서가 정리해 놨어.", "솔방울을 주워 왔어.", "미나 전화번호 알아?",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=(0.85, 1.05, 1.25),
    twice=True,
)  # fmt: skip
"""Names and sentences for the rule that was chosen with the three casts before. Nobody had looked at them either."""

FIFTH = Cast(
    names={
        "ko": ("하준아", "초롱아", "단풍", "유진아", "김대리", "은별아", "로운", "가을", "선생님", "보람아"),
        "en": ("Nora", "Casper", "hey Otto", "Ruby", "Quincy"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "하나만 더 먹을게.", "초록불에 건너야지.", "단 음식은 별로야.", "유리컵이 깨졌어.", "김치가 다 떨어졌네.",
            "은근히 어렵더라.", "로그인이 안 돼.", "가게 문 닫았어?", "선물은 뭐가 좋을까?", "보통 몇 시에 자?",
        ),
        "en": (
            "No one answered the door.", "The cast was amazing.", "Hey, turn around.", "Rub it with a cloth.",
            "Queen is my favourite band.",
        ),
    },
    talk=(
        "하준이는 벌써 잤어.", "초롱이 밥 줬어?", "단풍이 곱게 들었어.", "유진이가 전화했더라.", "김대리가 휴가 갔어.",
        "은별이 생일 선물 샀어.", "가을이 벌써 다 갔네.", "선생님이 칭찬하셨어.",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=(0.9, 1.1, 1.2),
    twice=True,
)  # fmt: skip
"""Names and sentences that were written before anything of the fourth cast's misses had led to a change."""

SIXTH = Cast(
    names={
        "ko": ("지민아", "바람아", "참새", "현우야", "이슬비", "최비서", "하율", "샛별", "사장님", "나비야"),
        "en": ("Arthur", "Bella", "hey Robin", "Maxine", "Teddy"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "지갑을 두고 왔어.", "바로 출발할게.", "참 이상하네.", "현관문 잠갔어?", "이불 좀 개 줘.", "최근에 바빴어.",
            "하얀 옷이 더 좋아.", "새벽에 비가 왔대.", "사진 좀 보내 줘.", "나중에 다시 말해 줘.",
        ),
        "en": (
            "Are there any more?", "Better late than never.", "They robbed a bank.", "Maximum speed is eighty.",
            "Tell him I said hello.",
        ),
    },
    talk=(
        "지민이가 우유를 쏟았어.", "바람이 너무 세다.", "참새가 창가에 앉았어.", "현우는 학교 갔어?", "이슬비가 내려.",
        "최비서가 연락했어.", "사장님이 오셨어.", "나비가 날아간다.",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=(0.85, 1.0, 1.2),
)  # fmt: skip
"""Names and sentences that were written before the last rule was committed, and heard afterwards."""

SEVENTH = Cast(
    names={
        "ko": ("서준아", "콩이야", "햇살", "도윤아", "한비서", "모카야", "달빛", "윤슬", "원장님", "호두야"),
        "en": ("Eleanor", "Rocket", "hey Luna", "Gideon", "Maple"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "서둘러야 늦지 않아.", "콩나물 좀 사 와.", "햇볕이 너무 뜨거워.", "도장 찍어야 해?", "한참 기다렸어.",
            "모자 어디에 뒀지?", "달걀 두 개만 삶아 줘.", "윤리 시험 망쳤어.", "원래 그런 거야.",
            "호주에 가 보고 싶어.",
        ),
        "en": (
            "Elevators are out of order.", "The rock was slippery.", "Hey, look at that.",
            "Giving up is not an option.", "May I borrow a pencil?",
        ),
    },
    talk=(
        "서준이가 넘어졌어.", "콩이는 산책 갔어.", "햇살이 따뜻하네.", "도윤이 숙제 다 했대.", "한비서가 전화했어.",
        "모카 한 잔 마실래?", "원장님이 오라고 하셨어.", "호두가 몸에 좋대.",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=(0.9, 1.05, 1.15),
    twice=True,
)  # fmt: skip
"""Names and sentences that were written and heard after the last rule, as those of the eighth cast."""

EIGHTH = Cast(
    names={
        "ko": ("은우야", "까미야", "새벽", "지안아", "강팀장", "별똥별", "수아야", "바위", "회장님", "모모야"),
        "en": ("Lorenzo", "Biscuit", "hey Nico", "Matilda", "Orion"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "은행 앞에서 만나.", "까먹지 말고 챙겨.", "새 신발 샀어?", "지난주에 다녀왔어.", "강아지 밥 줬어?",
            "별일 없지?", "수건 좀 갖다 줘.", "바지가 좀 길어.", "회사 앞에서 보자.", "모레 시간 돼?",
        ),
        "en": (
            "Lower the volume a bit.", "Business is slow today.", "Hey, nice to meet you.", "Material costs are up.",
            "Or we could stay home.",
        ),
    },
    talk=(
        "은우가 감기 걸렸대.", "까미 간식 다 떨어졌어.", "새벽에 잠이 깼어.", "지안이는 키가 커.",
        "강팀장이 회의 잡았어.", "별똥별이 떨어졌어.", "수아가 노래를 해.", "바위가 미끄러워.",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=(0.85, 1.1, 1.25),
    twice=True,
)  # fmt: skip

NOUNS = Cast(
    names={
        "ko": ("아이스크림", "컴퓨터", "콩순이", "빅스비", "초콜릿", "고양이", "호랑아", "바나나", "두꺼비", "거북아"),
        "en": ("Computer", "Chocolate", "Banana", "Tiger", "Coffee"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "아이들은 학교에 갔어.", "컴컴한 방이 무서워.", "콩나물국 먹을래?", "빅뉴스가 있어.", "초밥 시켜 먹자.",
            "고기 좀 구워 줘.", "호박죽이 맛있네.", "바람이 많이 부네.", "두부가 상한 것 같아.", "거기서 기다려.",
        ),
        "en": (
            "Complete the form first.", "Choose whatever you like.", "Bananas are cheap today.", "Time flies so fast.",
            "Cough drops are in the bag.",
        ),
    },
    talk=(
        "아이스크림이 녹았어.", "컴퓨터가 고장 났어.", "초콜릿이 너무 달아.", "고양이가 자고 있어.", "바나나를 샀어.",
        "호랑이가 나오는 책이야.", "두꺼비가 뛰어갔어.", "거북이가 느리게 가.",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=(0.9, 1.0, 1.2),
)  # fmt: skip
"""Everyday words as names. The comparison with silence was found with these; three are the same in both languages."""

NINTH = Cast(
    names={
        "ko": ("텔레비전", "솜사탕", "라디오", "꾀꼬리", "강아지", "태윤아", "소율아", "한결", "윤비서", "달래야"),
        "en": ("Pepper", "Wally", "hey Sunny", "Marble", "Doctor"),
    },
    voices=LOOKED_AT.voices,
    sentences={
        "ko": (
            "테이블 좀 닦아 줘.", "손 씻고 와.", "라면 먹고 갈래?", "꼭 기억해 둬.", "강남에서 만나기로 했어.",
            "태풍이 온대.", "소화가 잘 안 돼.", "한숨 좀 그만 쉬어.", "윤곽이 잘 안 보여.", "달리기하고 왔어.",
        ),
        "en": (
            "People are waiting outside.", "The wall needs paint.", "Hey, someone is calling.",
            "March was really cold.", "Don't forget the tickets.",
        ),
    },
    talk=(
        "텔레비전이 안 나와.", "솜사탕을 사 줬어.", "라디오에서 들었어.", "꾀꼬리가 노래해.", "강아지가 짖어.",
        "태윤이가 웃었어.", "한결이는 어디 갔어?", "윤비서가 전화했어.",
    ),
    others={"ko": (("espeak", ""),)},
    speeds=(0.9, 1.05, 1.2),
    twice=True,
)  # fmt: skip
"""Everyday words and names of people, written after the comparison with silence and heard once."""

CASTS: Final[Mapping[str, Cast]] = {
    "reported": REPORTED,
    "tuning": TUNING,
    "looked-at": LOOKED_AT,
    "held-out": HELD_OUT,
    "unseen": UNSEEN,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
    "seventh": SEVENTH,
    "eighth": EIGHTH,
    "nouns": NOUNS,
    "ninth": NINTH,
}
"""Casts by the name that ``--cast`` takes."""
