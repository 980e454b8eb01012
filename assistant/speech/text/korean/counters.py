"""The numerals that a counter takes: native (두 개, 스무 살) or Sino-Korean (이 층, 이십 세).

Counters that are not listed here take Sino-Korean numerals.
"""

import re
from typing import Final

from assistant.speech.text.vocabulary import listed

_NATIVE: Final = listed(
    "개 명 사람 마리 살 시간 시 달 대 권 장 잔 병 컵 캔 그릇 접시 봉지 봉 통 상자 박스 켤레 벌 "
    "채 척 송이 그루 포기 자루 알 톨 큰술 작은술 큰스푼 작은스푼 스푼 숟갈 숟가락 줌 꼬집 방울 "
    "모금 모 단 다발 묶음 줄 문장 단어 글자 마디 번째 차례 판 곡 편 세트 팀 쌍 끼 해 나라 방 칸 "
    "걸음 발 발자국 곳 군데 가지 종류 배 평 근 되 말 필 다스 뭉치 꾸러미 움큼 입 술 첩 갑 보루 "
    "돈 손 축 쾌 꼭지 뼘 아름 덩이 덩어리 조각 토막 쪼가리 구 경기 게임 가구 가족 집 사례 건 "
    "달러짜리 꼬치 모둠 스쿱 티스푼 테이블스푼 국자 주먹 계단 정거장 블록 구절 페어 코스 바퀴 "
    "골 홀 갈래 고비 획 폭 올 가닥 매듭 겹 층위 무리 떼 쪽지 살배기 돌 학기째 달째 시간째 마을 "
    "도시 학교 회사 친구 아이 자리 팩 롤 포 알짜리 타 주전자 양동이 바구니 트럭 수레 지게 짐 "
    "다리 눈 손가락 발가락 항목 질문 문제 단락 문단 차선짜리 과목 대목 원칙 이유 방법 도막 손님 "
    "식구 남매 형제 자매 아들 딸 쌍둥이 사발 대접 종지 모양 색 색깔 파트 토큰짜리 메뉴 옵션 "
    "선택지 요소 요인 특징"
)
_NOT_ONE: Final = {
    "개": "월|국|년|사(?![가-힣])|소(?!의)|교|동|점|관|항|조|소년|강|봉",
    "시": "리즈|즌|스템|그마|트|티|험|설|작|도(?!\\s)",
    "대": "학|륙|통령|회|한|만|표|비|안|상|기|규모|교|역|항|기업|구|중|선|법|형",
    "장": "관|군|치|르|소|비|학|애|점|기|거리|려",
    "달": "러|성|력",
    "방": "문|법|향|면|송|울|식|어|청",
    "살": "인|균|해",
    "해": "리|당|결|외|석|상|안|양",
    "단": "계|위|락|지|체|어|식|독|순|기|축|일",
    "배": "터리|럴|송|치|경|수|달|우|당|율",
    "모": "드|델|듈|바일|음|금|둠|양|든|서리|터",
    "통": "신|화|계|합|로|상",
    "알": "림|파|고",
    "판": "매|결|단|사|독|정",
    "편": "집|의|성|도|지|리",
    "채": "널|팅|권|소|용|식",
    "봉": "사|투|급|지",
    "건": "물|강|설|축|전|조|의",
    "구": "역|간|글|독|성|매|조|입|체|월|청|급",
    "말": "씀|라|레|기",
    "되": "는|고|면|지|어|었|며|다|ㄴ|도|풀",
    "발": "표|생|전|견|송|행|급|달|매|매일",
    "손": "실|상|해|익",
    "돈": "가스|까스",
    "축": "구|제|하|소",
    "입": "니|력|구|장|금|원|주|국|사|학|찰|출",
    "술": "집|자리",
    "근": "처|무|거|육",
    "필": "요|터|수|드",
    "줄": "이|었|어|여|거|넘",
    "갑": "자|판|부",
    "홀": "수|로|드",
    "골": "드|프|목|절",
    "올": "해|라|림|린|리",
    "포": "인|트|함|맷|장|트|럼|털|르",
    "타": "입|임|깃|고|석|이|자|석|율|워|점|수",
    "층": "위",
    "색": "상|인",
    "눈": "금|높",
    "집": "계|합|중|니",
    "곡": "선|물",
    "팩": "스",
    "첩": "보",
    "폭": "포|발",
    "겹": "치",
    "칸": "트",
    "롤": "링",
    "짐": "작",
    "병": "원|동|장|력",
    "컵": "라면",
    "잔": "액|고|여",
    "벌": "써|금|점",
    "권": "한|장|리",
    "명": "령|목|절|도|시",
    "가지": "고|며|는",
    "자리": "수|잡",
    "사람": "인",
    "항목": "씩조",
    "돌": "아|파|입",
    "다리": "를 건",
    "떼": "고",
    "무리": "하",
    "코스": "피|닥",
    "트럭": "터",
    "블록": "체인",
    "게임": "즈",
    "시간": "표|대별|제|당임",
    "학교": "급",
}
_COUNTERS: Final = sorted(set(_NATIVE), key=len, reverse=True)
NATIVE: Final = re.compile(
    "|".join(f"{counter}(?!{_NOT_ONE[counter]})" if counter in _NOT_ONE else counter for counter in _COUNTERS)
)
"""A counter with native numerals at the current position. A longer word with the same beginning does not match."""
_LARGEST: Final = {
    "시간": 23,
    "배": 20,
    "가구": 9,
    "문제": 9,
    "건": 9,
    "경기": 19,
    "골": 19,
    "나라": 99,
    "홀": 9,
    "시": 12,
}
"""Largest number with native numerals, by counter. Other counters have no limit."""


def takes_native(counter: str, number: int) -> bool:
    """Whether ``number`` is a native numeral before ``counter``."""
    return 0 < number <= _LARGEST.get(counter, 10**12)


_MACHINES: Final = re.compile(
    r"(?:차|차량|자동차|승용차|버스|택시|트럭|기차|비행기|항공기|헬기|전투기|드론|로봇|컴퓨터|"
    r"노트북|피시|PC|서버|전화|스마트폰|폰|"
    r"텔레비전|TV|냉장고|세탁기|에어컨|카메라|기계|장비|자전거|오토바이|피아노|프린터|태블릿|"
    r"모니터|충전기|구급차|소방차|열차|전기차|"
    r"킥보드|기기|설비)(?:[은는이가을를도]|\s?약|\s?총|\s?모두)?\s*$"
)
_GREATEST: Final = re.compile(r"(?:세계|국내|한국|우리나라|인류|국민)의?\s*$")
_GREATEST_AFTER: Final = re.compile(
    r"대 (?:영양소|원칙|요소|과제|기업|은행|강국|도시|광역시|메이저|명산|산맥|폭포|진미|불가사의|종교|문명|발명|질환|"
    r"성인병|미술관|박물관|음식|축제|산업|의무|권리|사상|고궁|궁궐|통신사|포털|플랫폼|암|요인|특징|조건|목표|전략|핵심|주요)"
)
_DECADE: Final = re.compile(r"대(?:[는은가의와도로]|에|초반|중반|후반|부터|까지|였|이|인|들|를|만|라)?(?![가-힣])")


def is_decade(number: int, before: str) -> bool:
    """Whether ``20대`` is an age group rather than twenty machines."""
    return number % 10 == 0 and number < 100 and not _MACHINES.search(before)


def are_greatest(before: str, after: str) -> bool:
    """Whether ``3대`` means the three greatest (삼 대 영양소) rather than three machines."""
    return _GREATEST_AFTER.match(after) is not None or (_GREATEST.search(before) is not None and after[1:2] == " ")


_GUESTS: Final = re.compile(
    r"(?:손님|고객|고객님|선생님|어르신|어른|부모님|회원|회원님|참석자|관계자|여러분|신사|교수님|"
    r"의사|성인|당첨자|신청자|분들|중에|중)\s*$"
)
_PERSONS_AFTER: Final = re.compile(r"분(?:께서|께|이서|이 (?:오|모|참|계|신|함)|을 모|의 (?:선생|손님|고객|부모|교수))")


def are_persons(before: str, after: str) -> bool:
    """Whether ``3분`` means three persons (세 분) rather than minutes."""
    return _PERSONS_AFTER.match(after) is not None or _GUESTS.search(before) is not None


_SLICES: Final = re.compile(r"(?:마늘|사과|귤|배|오렌지|빵|떡|케이크|레몬|수박)\s*$")
_SHARES: Final = re.compile(r"(?:주식|지분|전자|보통주|우선주)(?:을|를)?\s*$")


_LETTERS_AFTER: Final = re.compile(r"자\s?(?:이상|이내|이하|미만|까지|씩|로 된|로 이루)")


def is_counted(counter: str, before: str, after: str) -> bool:
    """Whether a normally Sino-Korean counter takes native numerals here: 마늘 세 쪽, 주식 열 주, 여덟 자 이상."""
    if counter == "자":
        return _LETTERS_AFTER.match(after) is not None
    return (counter == "쪽" and _SLICES.search(before) is not None) or (
        counter == "주" and _SHARES.search(before) is not None
    )
