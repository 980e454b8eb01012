"""Words of both languages that mean the same, so that a Korean request finds a tool with an English description.

Each line is one meaning: English words, a bar, Korean words. The words are those that are common in the names and
descriptions of tools. A word may have several meanings.
"""

from collections.abc import Iterable
from functools import cache, lru_cache

from assistant.tools.catalogue.words import Vocabulary, inflected, likeness, words_of

_TABLE = """
create add make write new insert register compose | 만들 추가 생성 등록 작성 새로 넣
delete remove erase clear discard trash | 삭제 지우 없애 제거 비우 버리
change update edit modify set adjust rename | 바꾸 바꿔 변경 수정 고치 고쳐 편집 조정
list show view display browse | 목록 보기 리스트 나열 모아
find search look query lookup locate | 찾 검색 조회 탐색 알아보
read open fetch load | 읽 열 불러 가져
send post deliver submit share | 보내 전송 발송 부치 공유 올리
reply answer respond comment | 답장 답변 회신 댓글 코멘트
start begin run launch execute | 시작 실행 켜 돌려 가동
stop end finish pause quit close | 멈추 멈춰 정지 중지 종료 끝내 닫
turn switch toggle | 켜 끄 꺼 전환
cancel abort revoke | 취소 철회
book reserve reservation booking | 예약 예매
buy order purchase checkout shop | 사 구매 주문 결제 쇼핑 장바구니
pay payment transfer remit bank account | 결제 송금 이체 지불 은행 계좌 납부
move relocate | 옮기 옮겨 이동
copy duplicate clone | 복사 복제
save store keep backup archive | 저장 보관 백업
download | 다운로드 내려받 다운
upload | 업로드 올리
translate translation language | 번역 통역 언어
convert conversion transform | 변환 환산 바꾸
summarize summary digest | 요약 정리 간추
compare comparison difference diff | 비교 차이
count calculate compute calculator math | 계산 세
track tracking trace follow status | 추적 조회 상태 배송
check inspect verify test validate | 확인 점검 검사
measure record log | 기록 측정 재
mail email inbox message | 메일 이메일 편지함 받은편지함
message chat text sms dm channel slack | 메시지 문자 채팅 쪽지 톡 카톡 슬랙 채널
call phone dial telephone | 전화 통화
contact contacts address people person | 연락처 주소록 전화번호 사람
calendar schedule event appointment meeting agenda | 일정 캘린더 달력 약속 회의 스케줄 미팅
task todo issue ticket | 할일 작업 이슈 티켓 업무 과제
note memo document page | 메모 노트 문서 페이지
file document folder directory | 파일 문서 폴더 디렉터리
pdf | 피디에프
spreadsheet sheet excel table cell row | 스프레드시트 시트 엑셀 표 행
database sql record query | 데이터베이스 디비
slide presentation | 슬라이드 발표자료 프레젠테이션
photo picture image camera screenshot | 사진 그림 이미지 카메라 화면캡처 스크린샷 캡처
video movie film youtube clip | 비디오 영상 동영상 영화 유튜브
music song track playlist audio | 음악 노래 곡 재생목록 플레이리스트
play playback | 재생 틀
sound volume mute | 소리 음량 볼륨
news headline article | 뉴스 기사 소식
weather forecast rain temperature climate | 날씨 예보 비 기온 눈 우산 일기예보
temperature heating thermostat warm cool air conditioner | 온도 난방 보일러 에어컨 냉방
humidity air quality dust | 습도 미세먼지 공기
light lamp bulb brightness | 불 조명 전등 램프 밝기
door lock window curtain blind | 문 잠그 도어락 창문 커튼 블라인드
vacuum clean cleaner robot | 청소 청소기 로봇청소기
washing washer laundry dryer | 세탁 빨래 세탁기 건조기
home device appliance | 집 기기 가전
map route direction navigate navigation distance | 지도 길 경로 길찾기 내비 거리
place location nearby restaurant cafe store | 장소 위치 근처 주변 맛집 식당 카페 가게
restaurant food meal menu delivery | 식당 음식 메뉴 배달 밥
recipe cook ingredient cooking | 레시피 요리 조리법 재료
traffic parking car drive vehicle | 교통 주차 자동차 차 운전
bus subway transit train metro station departure | 버스 지하철 대중교통 기차 열차 역 전철 도착
taxi ride cab | 택시
flight airline airport plane ticket | 비행기 항공 항공권 공항 비행
hotel accommodation room stay | 호텔 숙소 숙박 방
travel trip tour itinerary | 여행 관광 여정
stock share price market quote | 주가 주식 종목 시세 증시
currency exchange rate money dollar | 환율 환전 달러 통화
price cost cheap | 가격 값 비용 최저가
expense spend budget receipt ledger | 지출 가계부 예산 영수증 소비
invoice bill tax | 청구서 고지서 세금 요금
package parcel delivery shipment shipping courier | 택배 배송 소포 배달
health exercise workout fitness step | 건강 운동 걸음
sleep | 수면 잠 잤 자
weight body bmi | 몸무게 체중
heart pulse blood pressure | 심박 맥박 혈압
medicine medication pill drug pharmacy | 약 복약 약국
hospital doctor clinic | 병원 의사 진료
water drink hydration | 물 마시
calorie diet nutrition | 칼로리 식단 영양
timer alarm reminder stopwatch countdown | 타이머 알람 알림 스톱워치 리마인더
notification alert notify | 알림 통지
bookmark favorite | 북마크 즐겨찾기
tab browser web site url link website | 탭 브라우저 웹 사이트 링크 홈페이지
print printer | 인쇄 프린터 출력
scan scanner ocr | 스캔 인식
qr code barcode | 큐알 코드 바코드
password credential secret generate | 비밀번호 암호 패스워드
generate random | 생성 무작위 랜덤 아무
code repository repo git branch commit | 코드 저장소 깃 브랜치 커밋
pull request merge review | 풀리퀘스트 머지 리뷰 병합
build deploy release pipeline | 빌드 배포 릴리스
server container process cpu memory system | 서버 컨테이너 프로세스 시스템 메모리
disk space storage battery | 디스크 용량 저장공간 배터리
network wifi internet connection speed | 네트워크 와이파이 인터넷 연결 속도
bluetooth headphone speaker | 블루투스 헤드폰 스피커 이어폰
screen monitor display resolution brightness | 화면 모니터 디스플레이 해상도 밝기
dictionary definition meaning word | 사전 뜻 단어 의미
grammar spelling proofread | 맞춤법 문법 교정
wikipedia encyclopedia | 위키 위키백과 백과사전
book library novel isbn | 책 도서 도서관 소설
podcast episode radio | 팟캐스트 라디오 에피소드
game score match sport team league | 게임 경기 스포츠 점수 야구 축구
dice coin roll flip | 주사위 동전
joke fun | 농담 유머
poem story | 시 이야기
birthday anniversary holiday | 생일 기념일 공휴일 휴일
job resume recruit | 채용 이력서 구인
lecture course lesson study quiz flashcard | 강의 수업 공부 학습 퀴즈 암기
pet dog cat | 반려동물 강아지 고양이
plant garden | 식물 화분
color colour palette | 색 색깔 색상
unit length kilogram mile | 단위 길이 무게
zip compress archive extract | 압축
clipboard paste | 클립보드 붙여넣
application app program software | 앱 어플 프로그램 애플리케이션
setting preference option config configuration | 설정 옵션 환경설정
shell command terminal script | 명령 셸 터미널 스크립트
agent persona | 에이전트 비서
workspace project | 워크스페이스 작업공간 프로젝트
member team user invite | 멤버 팀 팀원 초대
vote poll survey form | 투표 설문 폼 양식
time date day week clock timezone | 시간 날짜 요일 시각 시차
today tomorrow | 오늘 내일
sunrise sunset moon sun astronomy | 일출 일몰 해 달
earthquake disaster | 지진 재난
friend follower social feed timeline tweet instagram | 친구 팔로워 소셜 피드 트윗 인스타
""".strip().splitlines()


@lru_cache(maxsize=20_000)
def meanings_of(word: str) -> frozenset[int]:
    """The meanings of a word of ``words_of``; empty for a word that is not in the table."""
    known, vocabulary = _index()
    if word.isascii():
        same = [word] if word in known else (each for each in vocabulary.near(word) if likeness(each, word))
    else:
        near = vocabulary.near(word)
        same = (each for each in near if inflected(each, word) or (len(each) > 1 and each in word))
    return frozenset().union(*(known[each] for each in same))


@cache
def _index() -> tuple[dict[str, frozenset[int]], Vocabulary]:
    """The meanings of each word in the table, and its words."""
    known = dict[str, frozenset[int]]()
    for number, line in enumerate(_TABLE):
        left, _, right = line.partition(" | ")
        _add(known, (stem for word in left.split() for stem in words_of(word) or (word,)), number)
        _add(known, right.split(), number)
    return known, Vocabulary(known)


def _add(index: dict[str, frozenset[int]], words: Iterable[str], number: int) -> None:
    for word in words:
        index[word] = index.get(word, frozenset()) | {number}
