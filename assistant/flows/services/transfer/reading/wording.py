"""The words of a request that say no slot, and those that make it no request at all. Pure."""

import re

_SEND = (
    r"(?:보내|이체해|송금해|부쳐|입금해|쏴|넣어|꽂아|전달해|계좌\s?이체해|토스해|해|바꿔|"
    r"변경해|고쳐|수정해|잡아|올려|늘려|줄여|낮춰|내려|맞춰|줘)"
)
_PLEASE = (
    r"(?:\s?(?:줘라|줘요|줘|주세요|주실래요?|주시겠어요|줄래요?|주라|달라고|줄\s?수\s?있(?:어|"
    r"을까|나|니|습니까|어요)요?|주실\s?수\s?있(?:어|을까|나)요?|"
    r"주면\s?(?:돼|좋겠어|고맙겠어)요?|줬으면\s?(?:해|좋겠어)요?|놔\s?줘|봐\s?줘|야\s?(?:해|"
    r"돼|겠어|겠다)요?|야\s?하는데요?|요|서|봐))?"
)
_FILLERS_KO = (
    rf"{_SEND}{_PLEASE}",
    (
        r"(?:보내|이체하|송금하|부치|쏘|입금하|하)(?:고\s?(?:싶어|싶은데|싶다|싶습니다)요?|"
        r"려고\s?(?:해|하는데|요)?요?|려는데요?|자|고)"
    ),
    r"(?:보낼|이체할|송금할|부칠|쏠|입금할|할|바꿀)(?:게|래|거야|겁니다|거예요|게요|래요|려고|려고요)",
    r"(?:송금|이체|입금|계좌\s?이체)(?:을|를|좀|만)?(?:\s?(?:부탁해|부탁드려|부탁할게|부탁)요?)?",
    r"(?:부탁해|부탁드려|부탁할게|부탁)요?",
    (
        r"좀|그냥|그럼|그러면|그리고|그런데|근데|또|이제|혹시|저기|있잖아|음|어|아|소리야|"
        r"참|다시|대신|각각|각자|모두|전부|한꺼번에|같이|도|씩|만|돈|금액|액수|송금액|이체\s?금액"
        r"|(?:금액|액수|돈|날짜|이체일|보내는\s?날|받는\s?(?:사람|분)|수취인|상대|계좌|통장|"
        r"거|것|건|걸)(?:은|는|을|를|이|만|도|로|으로)?"
    ),
    (
        r"아니(?:야|다|요|에요|지)?|아참|아니\s?아니|잠깐(?:만)?(?:요)?|미안(?:해|한데)?(?:요)?|"
        r"네|응|예|어|그래|맞아(?:요)?|좋아(?:요)?|말이야|말인데|있지"
    ),
    r"(?:으|이)?로(?:요)?|이요|요|을|를|한테|에게|께|에|에다|다가|은|는|이야|야|이|가",
    r"(?:님|씨)(?:이요|요|이에요|이야)?",
    r"(?:추가해|추가로|추가|더해)(?:\s?(?:줘|주세요))?(?:요)?",
)
_KOREAN = re.compile(rf"(?<![가-힣\w])(?:{'|'.join(_FILLERS_KO)})(?![가-힣\w])")
_ENGLISH = re.compile(
    r"\b(?:please|kindly|hey|hi|okay|ok|yes|yeah|no|wait|actually|sorry|oops|hmm|um|uh|well|and|then|also|just|now|so"
    r"|can you|could you|would you|will you|i(?:'d| would) like to|i want to|i wanna|"
    r"i need to|i'll|i meant|i mean|let's|let me"
    r"|send|transfer|wire|pay|give|remit|move|make|change|set|switch|it|that|this|one|"
    r"ones|them|him|her|to|the|a|an|of|for|on|in|my"
    r"|amount|money|cash|won|transfers?|payment|recipient|date|instead|over|be|is|should|"
    r"each|both|rather|but|sum|some|with|add|put|as well|back)\b",
    re.IGNORECASE,
)
_REQUEST_KO = re.compile(r"(?:줄래|줄\s?수\s?있|주실래|주실\s?수|주시겠|줄\s?거지|줘|주세요|부탁)\S*\s*\?*$")
_DELIBERATES_KO = re.compile(
    r"(?:보낼|보내\s?볼|보내\s?줄|이체할|송금할|부칠|쏠|입금할|바꿀|뺄|할)까(?:요|나)?(?![가-힣])|"
    r"(?:보내|이체해|송금해|부쳐|쏴|해|바꿔)도\s*(?:돼|되|될까|괜찮)"
    r"|(?:보낼|이체할|송금할|부칠|쏠)\s*수\s*(?:있|없)(?!게)|(?:보내|이체하|송금하)(?:는\s?게|"
    r"는\s?것이)\s?(?:좋|나)|(?:보내|이체하|송금하)나(?:요)?(?![가-힣])"
)
_ASKS_KO = re.compile(r"(?<![가-힣])(?:얼마|언제|누구|누가|왜|어떻게|몇|뭐|뭘|무엇|무슨|어디|어느)(?!\s?만)")
_REPORTS_KO = re.compile(
    r"(?:보냈|이체했|송금했|부쳤|쐈|입금했|입금됐|받았|들어왔|줬|주셨|달라고\s?했|보내\s?달래|"
    r"보내래|보내라고|보내달라는|보내라는)"
)
_REFUSES_KO = re.compile(
    r"(?:보내|이체하|송금하|부치|쏘|입금하|하)지\s*(?:마|말(?!고)|않|는\s?마)|(?<![가-힣])안\s?(?:보내|"
    r"보낼|부쳐|부칠|할래|할게|해)|(?<![가-힣])못\s?보내"
    r"|(?:보내|이체하|하)면\s*안\s*(?:돼|되)"
)
_QUESTION_EN = re.compile(
    r"^(?:so |and |well |hey,? ?)?(?:how|what|when|who|whom|whose|why|where|which|is|"
    r"are|am|was|were|do|does|did|have|has|had|should|shall|may|might|can i|could i|must i|"
    r"will it|would it)\b",
    re.IGNORECASE,
)
_REQUEST_EN = re.compile(r"^(?:hey |so |and |please )?(?:can|could|would|will) you\b", re.IGNORECASE)
_REPORTS_EN = re.compile(
    r"\b(?:sent|transferred|paid|wired|received|got|gave|asked|wants|wanted|told)\b", re.IGNORECASE
)
_REFUSES_EN = re.compile(
    r"\b(?:don't|do not|dont|never|won't|will not|can't|cannot|shouldn't|not going to)\b", re.IGNORECASE
)


def asks_nothing(text: str) -> bool:
    """Whether a message is a question, a report or a refusal: ``오만 원 보낼까?``, ``보냈어``, ``보내지 마``."""
    text = text.strip()
    asks = text.endswith(("?", "？")) and not (_REQUEST_KO.search(text) or _REQUEST_EN.search(text))
    korean = any(
        pattern.search(text) for pattern in (_DELIBERATES_KO, _ASKS_KO, _REPORTS_KO, _REFUSES_KO)
    ) and not re.search(r"(?:줄|주실)\s?수\s?있", text)
    english = any(pattern.search(text) for pattern in (_QUESTION_EN, _REPORTS_EN, _REFUSES_EN))
    return asks or korean or english


def without_fillers(rest: str) -> str:
    """The words of a message that say something which was not read."""
    left = _ENGLISH.sub(" ", _KOREAN.sub(" ", rest))
    return " ".join(re.sub(r"[\s,.!?？;:~…·。、₩]+", " ", left).split())
