"""Reads a Korean line as a statement."""

import re

from assistant.core.hangul import final_of
from assistant.memory.statements.statement import ONE_VALUE, Statement, attribute

_MYSELF = frozenset(
    {"나", "나는", "난", "내", "내가", "나의", "저", "저는", "전", "제", "제가", "저의", "우리", "저희"}
)
_NOW = frozenset({"이제", "이제는", "지금", "지금은", "요즘", "요즘은", "이젠", "사실", "새", "새로", "더", "이상"})
_EARLIER = re.compile(
    r"예전|옛날|어렸을|어릴|작년|재작년|지난|전에는|한때|원래|살았|다녔|였었|이었|였다|내년|다음\s?달|다음\s?해"
    r"|(?:할|될|갈|살|올|일)\s?(?:거|예정|계획)|싶|(?:^|\s)만약|려고"
)
"""What was, will be or might be does not contradict what is."""
_ALSO = re.compile(r"\S도\s|(?:^|\s)(?:또|또한|다른|둘째|가끔|때때로|때로는)\s")
_SEVERAL = re.compile(r"[,;?]|\.\s|\S(?:지만|는데|면서|니까)\s|\S(?:고|며|서)\s(?!있|싶|와|오|갔|왔)")
_COPULA = re.compile(r"(?:이었|였)?(?:이야|야|이에요|예요|에요|입니다|이다|이고|임|이지|이죠|이라|이라고)$")
_VERB = re.compile(r"(?:다|해|해요|어|아|여|어요|아요|여요|니다|했음|함|지|네|려|워|와|봐|줘|셔|쳐|켜|져|둬)$")
_PARTICLE = re.compile(r"(?<=[가-힣\w])(?:은|는|이|가)$")
_TO = r"(?:으로|로)"

_MOVED = re.compile(rf"(?P<who>.*?)(?P<value>\S+?){_TO}\s이사\s?(?:를\s)?(?:했|왔|갔|옴|함)\S*")
_LIVE = re.compile(
    r"(?P<who>.*?)(?P<value>\S+?)에(?:서)?\s(?:산다|살아요?|삽니다|살고\s있\S*|사는\s중\S*|살음|거주\S*)"
)
_ATTEND = re.compile(r"(?P<who>.*?)(?P<value>\S+?)에\s(?:다닌다|다녀요?|다닙니다|다니고\s있\S*)")
_JOB = re.compile(rf"(?P<who>.*?)(?P<value>\S+(?:\s\S+)?){_TO}\s일(?:해요?|한다|합니다|하고\s있\S*)")
_CHANGED = re.compile(
    rf"(?P<who>.+?)(?:은|는|이|가|을|를)\s(?P<value>.+?){_TO}\s(?:바뀌|바꿨|바꾸었|바뀐|변경|옮겼|옮긴|옮겨|미뤄|당겨|교체)\S*(?:\s됐\S*|\s되었\S*|\s했\S*)?"
)
_AGE = re.compile(r"(?P<who>.*?)(?P<value>(?:\d+|[가-힣]+))\s?살(?:이야|이에요|입니다|이다)?")
_LIKES = re.compile(
    r"(?P<who>.*?)(?P<thing>\S+?)(?:을|를|이|가)?\s(?:정말\s|아주\s|너무\s)?(?P<how>안\s좋아|좋아하지\s않|좋아|사랑|싫|별로)\S*(?:\s\S+)?"
)
_PUT = re.compile(
    r"(?P<who>.+?)(?:은|는|이|가)\s(?P<value>.+?)에\s(?:있다|있어요?|있습니다|세워\s?\S*(?:\s\S+)?|주차\S*|두었\S*|뒀\S*)"
)
_QUIT = re.compile(r"(?P<who>.*?)(?P<thing>\S+?)(?:을|를)?\s(?:끊었|끊음|그만뒀|그만두었)\S*")
_DOES = re.compile(
    r"(?P<who>.*?)(?P<thing>\S+?)(?:을|를)\s(?P<no>안\s|못\s)?(?P<verb>\S+)(?P<not>\s(?:않|못해|못하)\S*)?"
)
_DATE = re.compile(r"(?P<month>\d{1,2})\s?월\s?(?P<day>\d{1,2})\s?일")
_WORKPLACES = ("은행", "회사", "전자", "그룹", "연구소", "건설", "증권", "자동차", "제약", "물산")
_SCHOOLS = ("학교", "대학", "고등학교", "중학교", "초등학교", "대학교", "대학원")
_ANY = "*"


def korean_statement(text: str) -> Statement | None:
    """The statement of a line in lower case without its final punctuation; ``None`` if it is none or several."""
    line, corrected = re.subn(r"(?<=[은는이가]\s)\S.*?(?:이|가)?\s?아니(?:라|고)\s+", "", text)
    words = line.split()
    changed = bool(corrected) or any(word in _NOW for word in words)
    words = [word for word in words if word not in _NOW]
    while words and words[0] in _MYSELF:
        words = words[1:]
    line = " ".join(words)
    if _SEVERAL.search(line) or _ALSO.search(line):
        return None
    if found := _MOVED.fullmatch(line):
        return _own(found, "live", single=True, changed=True)
    if (found := _CHANGED.fullmatch(line)) and not _has_topic(f"{found['value']} -"):
        about, single, _ = attribute(_who(found["who"]))
        return Statement(about=about, value=_value(found["value"]), single=single, changed=True)
    if found := _QUIT.fullmatch(line):
        return _does(found, _ANY, no=True)
    return None if _EARLIER.search(line) else _plain(line, changed=changed)


def _plain(line: str, *, changed: bool) -> Statement | None:
    if found := _LIVE.fullmatch(line):
        return _own(found, "live", single=True, changed=changed)
    if found := _ATTEND.fullmatch(line):
        return _own(found, _kind_of_place(found["value"]), single=False, changed=changed)
    if found := _JOB.fullmatch(line):
        return _own(found, "job", single=False, changed=changed)
    if found := _AGE.fullmatch(line):
        who = [word for word in _who(found["who"]) if word not in ONE_VALUE]
        return Statement(about="/".join((*who, "age", "")), value=_value(found["value"]), single=True, changed=changed)
    if found := _LIKES.fullmatch(line):
        return _liked(found)
    if (found := _PUT.fullmatch(line)) and not _has_topic(f"{found['value']} -"):
        about, _, __ = attribute(_who(found["who"]), "where")
        return Statement(about=about, value=_value(found["value"]), single=True, changed=changed)
    return _is(line, changed=changed) or _done(line)


def _is(line: str, *, changed: bool) -> Statement | None:
    """A subject with a noun: 생일은 3월 2일이야."""
    words = line.split()
    subjects = [place for place, word in enumerate(words[:-1]) if _is_subject(word)]
    if not subjects:
        return None
    # Before the topic, a verb that describes it may look like one: 좋아하는 곡 1번은 …
    end = max((place for place in subjects if words[place][-1] in "은는"), default=subjects[0])
    value = " ".join(words[end + 1 :])
    noun = _COPULA.sub("", value)
    if noun == value and re.search(r"\S로\s끝\S+$", value):
        noun = re.sub(r"로\s끝\S+$", "", value)
    elif noun == value and _VERB.search(value):
        return None
    subject = _who(" ".join(words[: end + 1]))
    about, single, several = attribute(subject)
    if not subject:
        return None
    if about.split("/")[-2:-1] == ["age"]:
        noun = noun.removesuffix("살").strip()
    return Statement(about=about, value=_value(noun), single=single and not several, changed=changed)


def _is_subject(word: str) -> bool:
    """Whether a word may be a noun with a particle of the subject, which has one form after a consonant."""
    if word in _MYSELF or not _PARTICLE.search(word):
        return False
    return not "가" <= word[-2] <= "힣" or bool(final_of(word[:-1])) == (word[-1] in "은이")


def _has_topic(value: str) -> bool:
    """Whether a value has a topic of its own, so that the line was split at a wrong place."""
    return any(word[-1] in "은는" and _is_subject(word) for word in value.split()[:-1])


def _done(line: str) -> Statement | None:
    found = _DOES.fullmatch(line)
    if found is None:
        return None
    verb = found["verb"]
    no = found["no"] is not None or found["not"] is not None
    return _does(found, _without_final(verb[0]), no=no)


def _does(found: re.Match[str], verb: str, *, no: bool) -> Statement:
    about = "/".join(("do", *_who(found["who"]), found["thing"]))
    return Statement(about=about, value=f"{'no' if no else 'yes'} {verb}", single=True)


def _liked(found: re.Match[str]) -> Statement:
    yes = found["how"] in {"좋아", "사랑"}
    about = "/".join((*_who(found["who"]), "feel", found["thing"]))
    return Statement(about=about, value="yes" if yes else "no", single=True)


def _own(found: re.Match[str], kind: str, *, single: bool, changed: bool) -> Statement:
    about = "/".join((*_who(found["who"]), kind))
    return Statement(about=about, value=_value(found["value"]), single=single, changed=changed)


def _kind_of_place(value: str) -> str:
    if value.endswith(_SCHOOLS):
        return "school"
    return "employer" if value.endswith(_WORKPLACES) else f"attend {value}"


def _who(text: str) -> list[str]:
    words = [word for word in text.split() if word not in _MYSELF]
    words = [*(re.sub(r"(?<=[가-힣])의$", "", word) for word in words[:-1]), *words[-1:]]
    if words:
        words[-1] = _PARTICLE.sub("", words[-1])
    return [word for word in words if word and word not in _MYSELF]


def _value(text: str) -> str:
    return "".join(_DATE.sub(r"\g<month>-\g<day> ", text).split())


def _without_final(syllable: str) -> str:
    """A syllable without its final consonant: 산 and 살 are forms of one verb."""
    if not "가" <= syllable <= "힣":
        return syllable
    return chr(ord("가") + (ord(syllable) - ord("가")) // 28 * 28)
