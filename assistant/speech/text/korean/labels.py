"""Numbers that name one of a series (해리포터 이 권), where others with the same counter count (책 두 권)."""

import re
from typing import Final

from assistant.speech.text.vocabulary import words

_LABELLED: Final = re.compile(
    r"번\s?(?:방|버스|마을버스|출구|문제|문항|선수|타자|투수|국도|홈|트랙|채널|게이트|탑승구|"
    r"승강장|창구|좌석|항목|줄|보기|노선|칸|"
    r"카드|염색체|교향곡|레인|슬롯|포트|핀|파일|답|정답|환자|확진자|테이블|자리|버튼|키|단추|"
    r"사물함|교실|강의실|회의실|트럭|차량|호선|"
    r"열차|참가자|후보|시드|지|길|국도|고속도로|우승|아이언|개찰구|플랫폼|메뉴|코스|옵션|선택지|"
    r"질문|링크|그림|사진|표|도로|객실|병실|"
    r"진료실|갱도|학생|조|팀|타석|라인|엔진|부두|컨테이너)(?=$|[^가-힣]|[은는이가을를의과와도만로입였인에부까앞옆뒤쪽]|으로)"
)
_LABEL_PARTICLE: Final = re.compile(
    r"번(?:이|을|은|과|에서|으로|이나|입니다|이에요|부터|까지)(?:[\s.,?!]|$)|번지|번호|번길|번가|번대|번선"
)
_LABEL_BEFORE: Final = re.compile(
    r"(?:버스|문제|문항|보기|선택지|출구|채널|정답|답|번호|출구는|문제는|답은|정답은|제|기호|"
    r"후보|옵션|항목|국도|마을버스|게이트|"
    r"승강장|내선|등번호|국번|사서함|창구|테이블|그림|카드|메뉴|좌석|게이트|코트|레인|선수|노선|지방도|사물함|채널|"
    # Works that composers numbered.
    r"교향곡|협주곡|소나타|소나티네|서곡|왈츠|녹턴|야상곡|전주곡|연습곡|에튀드|[삼사오육칠팔]중주|[3-8]중주|모음곡|무곡|광시곡|랩소디|"
    r"프렐류드|푸가|세레나데|환상곡|판타지아|즉흥곡|칸타타|디베르티멘토|트리오|발라드|스케르초|인벤션|작품)\s*$"
)
_TIMES_BEFORE: Final = re.compile(
    r"(?:횟수는|하루에?|일주일에?|한 ?달에?|주에?|매일|매주|매달|매년|적어도|최소|최대|최소한|약|"
    r"벌써|총|모두|딱|단|에|지금까지|"
    r"평균|일 년에|년에|한 번에서|통산|무려)\s*$"
)
_FEW: Final = 100


def is_label(number: int, before: str, after: str) -> bool:
    """Whether ``3번`` names an item (삼 번 방) rather than counts times (세 번).

    Args:
        number: the number before 번.
        before: the text before the number.
        after: the text from 번 on.
    """
    if _LABEL_BEFORE.search(before) or _LABELLED.match(after):
        return True
    if _TIMES_BEFORE.search(before):
        return False
    return number >= _FEW or _LABEL_PARTICLE.match(after) is not None


_COUNTED: Final = {
    "권": words(
        "책 만화책 소설 소설책 동화책 그림책 교재 노트 공책 수첩 시집 문집 전집 잡지 사전 문제집 참고서 "
        "교과서 도서 서적 원서 신간 작품 저서 만화 다이어리 책자 앨범 스케치북 통장 여권 단행본 자서전 위인전 "
        "연습장 메모장 일기장 가계부 매뉴얼 보고서 필독서"
    ),
    "편": words(
        "영화 시 논문 드라마 소설 글 작품 광고 동영상 영상 다큐 다큐멘터리 비행기 항공편 항공기 단편 장편 "
        "에세이 수필 연극 애니메이션 만화 칼럼 기사 동시 시조 뮤지컬 웹툰 독후감 리뷰 동화 예고편 열차 버스 "
        "기차 배 여객선 강의 인강 쇼츠 브이로그"
    ),
}
"""What is counted with a counter of volumes and parts; after another noun, which is a title, the number names one."""
_COMPOUND: Final = re.compile(r"(?:책|소설|영화|사전|잡지|만화|교재|문제집|시집|전집|드라마|논문|영상)$")
_QUANTITY: Final = words(
    "총 모두 전체 전 각 각각 약 단 딱 최소 최대 적어도 하루 매일 매주 매달 매년 벌써 겨우 상하 이미 다시 "
    "또 더 하 보통 평균 무려 거의 대략 나머지 남은 이 그 저 새 헌 같은 다른 여러 추가로 산 본 쓴 고른 나온"
)
_NO_TITLE: Final = re.compile(r"(?:[을를은는한던된운린에씩면며]|에서|까지|부터|으로|중)$")
_PARTICLE: Final = re.compile(r"(?:[을를은는이가도만]|으로|로)$")
_SERIES_BEFORE: Final = re.compile(r"\d+(?:권|편|장)(?:에서|부터|과|와|,)\s*$")
_AMOUNT_AFTER: Final = re.compile(
    r".\s?(?:씩|짜리|이상|이하|정도|쯤|밖에|뿐|이나|더(?![가-힣])|세트|분량|중|가운데|"
    r"으로 (?:된|이루|나[뉘눠누오왔온]|구성|완결|출간))"
)
_LAST_WORD: Final = re.compile(r"(\S+)\s*$")
_NUMBERED_BY: Final = {
    "집": re.compile(r"(?:정규|미니|스페셜|앨범|싱글)\s*$"),
    "판": re.compile(r"(?:개정|증보|수정|전면개정)\s*$"),
    "단": re.compile(
        r"(?:기어|구구단|태권도|유도|검도|바둑|합기도|장기|변속기?|스위치|풍량|온도|세기)(?:를|을|은|는)?\s*$"
    ),
}
_ALBUM_AFTER: Final = re.compile(r"집\s?(?:앨범|타이틀|수록|활동|컴백|발매)")
_CHAPTER_BEFORE: Final = re.compile(
    r"(?:참고|참조|보기|부록|본문|교과서|책의|논문의|소설의|문서의|보고서의|이야기의|헌법|"
    r"복음|로마서|고린도[전후]서|갈라디아서|에베소서|빌립보서|히브리서|야고보서|베드로[전후]서|디모데[전후]서|이사야|예레미야|다니엘|창세기|"
    r"출애굽기|레위기|민수기|신명기|룻기|욥기|열왕기[상하]|역대[상하]|사무엘[상하]|사도행전|계시록|잠언|아가|\d\s?[권부막])[:,]?\s*$"
)
_CHAPTER_AFTER: Final = re.compile(
    r"장(?:\s?\d+\s?절|[을를]?\s?(?:참고|참조|펴|펼|읽|복습|예습|공부)|"
    r"(?:에서?|에는|부터|까지)\s?(?:는\s)?(?:다루|다룬|다룹|설명|나오|나옵|나온|소개|배우|배운|배웠|살펴|언급|보|자세|시작|끝|읽|이어|"
    r"있[는습어다고]|정리)|\s(?:제목|요약|연습|내용|첫|마지막|끝부분|앞부분))"
)


def names_item(counter: str, before: str, after: str) -> bool:
    """Whether a number names a volume, a part, a chapter or an edition rather than counts them.

    Args:
        counter: 권, 편, 장, 집, 판 or 단; any other never names.
        before: the text before the number.
        after: the text from the counter on.
    """
    before = _SERIES_BEFORE.sub("", before)
    if counter == "장":
        return _CHAPTER_BEFORE.search(before) is not None or (
            _CHAPTER_AFTER.match(after) is not None and not _SHEETS_BEFORE.search(before)
        )
    if counter in _NUMBERED_BY:
        return _NUMBERED_BY[counter].search(before) is not None or _ALBUM_AFTER.match(after) is not None
    return counter in _COUNTED and not _AMOUNT_AFTER.match(after) and _ends_with_title(before, _COUNTED[counter])


_SHEETS_BEFORE: Final = re.compile(
    r"(?:사진|종이|카드|표|티켓|우표|엽서|그림|이미지|서류|슬라이드|앨범|음반|용지|쿠폰|지폐|문서|포스터|캡처|스크린샷)(?:[을를이가은는도]|만)?\s*$"
)


def _ends_with_title(text: str, counted: frozenset[str]) -> bool:
    """Whether the last word before a number is the end of a title."""
    found = _LAST_WORD.search(text)
    if found is None:
        return False
    last = found.group(1)
    if last[-1] in "\"'":
        return True
    noun = _PARTICLE.sub("", last)
    if not noun or {last, noun} & counted or last in _QUANTITY or _COMPOUND.search(noun):
        return False
    return last[-1].isalnum() and not _NO_TITLE.search(last)
