"""Words of time that a reading has left over. A sentence with one of them has not been understood.

The lists are wide on purpose. What they wrongly take for a word of time goes to the model; what they lack would ring at
a wrong time.
"""

import re
from functools import cache

from assistant.core.times.durations import ENGLISH_NUMBER, NATIVE_NUMBER, SINO_NUMBER, any_of

GAP = "\x1f"
"""Stands in the rest of a sentence where a piece of a time was."""

MEAL_KO = r"(?:아침|점심|저녁)(?=\s*(?:먹|밥|식사|준비|차리|챙기|메뉴|도시락|약속|거르|굶|반찬|만들|시키|시켜|주문))"
"""A meal, and no part of the day."""
_COUNT_KO = rf"(?:\d[\d.,]*|몇|여러|백|천|한두|두세|두서너|서너|너댓|네댓|대여섯|예닐곱|{NATIVE_NUMBER}|{SINO_NUMBER})"
_UNIT_KO = "시간|시|분|초|일|주일|주|달|개월|월|년|해|분기|학기"
_AFTER_UNIT_KO = (
    "반|째|쯤|경|정도|치|차|간|동안|내|안|이내|이상|전|후|뒤|이후|이전|마다|날|말|초|중|중순|부터|까지|씩|짜리|만|날짜"
)
_PARTICLE_KO = (
    "에게|에는|에만|에도|에서|에|엔|은|는|이나|이랑|이|가|을|를|의|도|만|으로|로|와|과|나|랑|하고|라도|까지|부터|마다|쯤|"
    "경|중|날"
)
_PERIODS_KO = (
    "초순|중순|하순|상순|월초|월말|월중|연초|연말|연중|주초|주말|주중|평일|휴일|공휴일|연휴|명절|설|설날|구정|"
    "신정|추석|한가위|크리스마스|성탄절|스승의 날|삼일절|광복절|개천절|한글날|현충일|식목일|제헌절|부처님 오신 날|"
    "석가탄신일|대보름|단오|초파일|음력|양력|윤달|정월|섣달|동짓달|그믐|보름|초하루|상반기|하반기|오늘|금일|내일|"
    "낼|명일|모레|내일모레|글피|그글피|어제|그저께|그제|엊그제|엊저녁|익일|당일|전날|다음날|이튿날|매일|매일매일|"
    "매주|매달|매월|매년|매해|매번|매시|매시간|매분기|격일|격주|격월|격년|날마다|다달이|하루|이틀|사흘|나흘|닷새|"
    "엿새|이레|여드레|아흐레|열흘|일주일|한나절|반나절|온종일|종일|하룻밤|밤새|오전|오후|새벽|아침|점심|저녁|낮|"
    "한낮|대낮|밤|한밤|한밤중|심야|정오|자정|초저녁|정각|올해|금년|내년|내후년|작년|재작년|이달|내달|말일|봄|여름|"
    "가을|겨울|이맘때|이따|이따가|언젠가|조만간|수시로|주기적|정기적|반복|간격"
)
_NAMED_KO = (
    r"(?:이번|요번|다음|지난|저번|담|다다음|오는|돌아오는|첫|첫째|둘째|셋째|넷째|마지막)\s*(?:주|달|해|년|날|월|분기|학기)"
    r"|[월화수목금토일]\s*(?:요일|욜)\S*|[월화수목금토일](?:\s*[,·]?\s*[월화수목금토일])+(?:에|마다)|\S+마다"
    r"|\S*(?:생|기념|마감|출국|입국|출근|시험|결제|납부|만기|월급|개학|방학)일(?:에|엔|마다|날)|\S*(?:빼고|제외하고|제외)|\S*번씩"
    r"|\S+날(?:에|에는|엔|은)?|\S*때(?:에|쯤)?|\S*(?:전|후|뒤|이전|이후|직전|직후|도중|사이|무렵|즈음|중|동안)(?:에|에는|엔|쯤|으로)"
    r"|전|후|직전|직후|동안|내내"
)


@cache
def _korean() -> re.Pattern[str]:
    number = rf"{_COUNT_KO}+\s*(?:{_UNIT_KO})(?:{_AFTER_UNIT_KO})*"
    period = any_of(_PERIODS_KO.split("|"))
    words = rf"(?<![가-힣\d])(?:{number}|{period}|{_NAMED_KO})(?:{_PARTICLE_KO})*(?![가-힣])"
    figures = r"\d\s*[:~/-]\s*\d|\d+\s*[ap]\.?m|(?<!\S)\d+(?:에|쯤|까지|부터)(?![가-힣])"
    before = rf"(?:\d|(?<![가-힣])(?:{_COUNT_KO}|반|약|대략|거의|적어도|늦어도))\s*[~,:./–-]?\s*{GAP}"
    after = (
        rf"{GAP}\s*(?:[~:/–-]|(?:까지|부터|이후|이전|전|후|뒤|사이|말고|또는|이나|반|와|과|하고|이랑|랑)(?![가-힣]))"
    )
    # "결혼기념일 6시에": what has a day of its own.
    own_day = (
        rf"(?:\S*(?:일|날|식|절|이브)|\S*(?:생신|연휴|휴가|방학|개학|졸업|입학|수능|소풍|여행|출장|이사|제사))\s*{GAP}"
    )
    return re.compile(f"{words}|{figures}|{before}|{own_day}|{after}")


def korean_time_word(rest: str) -> str:
    """A word of time in what a Korean reading has left over; empty without one."""
    found = _korean().search(re.sub(MEAL_KO, " ", rest))
    return found.group() if found else ""


def korean_meal(rest: str) -> str:
    """The meal that the user is reminded of, which tells the part of the day; empty without one."""
    found = re.search(rf"(?<![가-힣]){MEAL_KO}", rest)
    return found.group() if found else ""


_DAYS_EN = "mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|tues?|weds?|thur?s?|thurs|fri"
_MONTHS_EN = (
    "january|february|april|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug|sept?|oct|nov"
    "|dec"
)
_WORDS_EN = (
    "today|tomorrow|tonight|yesterday|overmorrow|noon|midnight|midday|morning|mornings|afternoons?|evenings?|"
    "nights?|dawn|dusk|sunrise|sunset|weekends?|weekdays?|weeks?|months?|years?|days?|hours?|hrs?|minutes?|mins?|"
    "seconds?|secs?|fortnights?|fortnightly|biweekly|bimonthly|biannual(?:ly)?|weekly|monthly|yearly|"
    "annual(?:ly)?|daily|nightly|hourly|quarterly|everyday|every|each|alternate|alternating|ago|later|until|till|"
    "before|after|since|during|between|once|twice|thrice|o'?clock|christmas|xmas|easter|thanksgiving|halloween|"
    "hanukkah|ramadan|diwali|new year'?s?|valentine'?s?|holidays?|half|next|last|soon|eve|lunchtime|bedtime|"
    "dinnertime|noontime|anniversary|payday|someday|quarter|midweek|spring|summer|autumn|winter|except|excluding|recurring|recurrent|repeating|repeatedly|regularly|starting|"
    "beginning|ending|other"
)
_FIGURES_EN = (
    r"\d{1,2}(?:st|nd|rd|th)|\d+\s*[:/]\s*\d+|\d+\s*[ap]\.?m\.?|\d{1,2}-\d{1,2}|20\d\d"
    r"|(?:a|p)\.m\.?|\d+\s*(?:-|to)\s*\d+|on\s+(?:\S+\s+){0,3}birthday|at\s+(?:lunch|dinner|breakfast|work|school)"
)


@cache
def _english() -> re.Pattern[str]:
    number = rf"(?:\d+|{ENGLISH_NUMBER})"
    near = (
        rf"(?:by|until|till|before|after|since|past)\s+(?:the\s+)?{number}\b"
        rf"|(?:from|around|about|at|to|for|on|in)\s+(?:the\s+)?{number}\b(?!\s+[a-z])"
    )
    ordinal = (
        r"(?:on|of|the)\s+(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\w+teenth|twentieth|thirtieth)"
        rf"(?:\s+(?:of|day|{_DAYS_EN})\b|\s*$|\s*{GAP})"
    )
    around = r"(?:on|in|this|next|last|every|of|\d)\s+(?:mon|wed|thu|sat|sun|may|march|mar)\b|\b(?:may|march|mar)\s+\d"
    before = rf"\b{number}\s*(?:-|–|~|,|/|to|or|and)?\s*{GAP}"
    after = (
        rf"{GAP}\s*(?:[-–~/]|(?:and|or|to|,|till|until|through|but|not|plus)\s+(?:at\s+)?{number}\b"
        rf"|{number}\s*(?:$|{GAP})|(?:ish|sharp|or so|time)\b)"
    )
    words = rf"\b(?:{_DAYS_EN}|{_MONTHS_EN}|{_WORDS_EN}|{_FIGURES_EN}|{near}|{ordinal}|{around})(?![a-z])"
    return re.compile(f"{words}|{before}|{after}", re.IGNORECASE)


def english_time_word(rest: str) -> str:
    """A word of time in what an English reading has left over; empty without one."""
    found = _english().search(rest)
    return found.group() if found else ""
