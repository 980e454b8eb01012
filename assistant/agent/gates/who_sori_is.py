"""Detects answers in which Sori claims to be another assistant (C-35). Pure.

A small model that is asked who it is names the company or assistant of its training, whatever its prompt says: "I am
ChatGPT", "created by Alibaba Cloud".
"""

import re

_OTHERS = (
    r"open\s?ai|chat\s?gpt|\bgpt\b|alibaba|qwen|tongyi|anthropic|\bclaude\b|google|gemini|\bbard\b|microsoft|copilot"
    r"|\bmeta\b|\bllama\b|deepseek|mistral|hugging\s?face|smollm|\bsiri\b|\balexa\b|bixby|cortana|samsung|\bapple\b"
    r"|오픈\s?ai|오픈에이아이|챗\s?gpt|챗지피티|알리바바|큐원|통의|앤트로픽|클로드|구글|제미나이|마이크로소프트|코파일럿|딥시크"
    r"|시리(?!즈)|알렉사|빅스비|삼성|네이버|카카오|애플"
)
_OTHER = re.compile(_OTHERS, re.IGNORECASE)
_ASKED = re.compile(
    r"\bwho (?:are|r) (?:you|u)\b|\bwhat are you\b|\byour name\b|\bintroduce yourself\b|\babout yourself\b"
    r"|\bwho(?:'s| is| has| are)? ?(?:\w+ )?(?:made|makes?|creat\w+|buil\w+|develop\w+|train\w+|program\w+|own\w*)"
    r" you\b"
    r"|\b(?:what|which) (?:\w+ ){0,3}(?:model|ai|llm|company)\b.{0,20}\byou\b|\bwho\b.{0,20}\bcreator\b"
    rf"|\b(?:are|r) you\b.{{0,12}}(?:{_OTHERS})"
    r"|(?:너|넌|네|니|당신|그쪽|소리)[는은가의이야]{0,2}\s.{0,8}(?:누구|정체|모델|이름|회사|만들|만든|개발)|자기\s?소개|이름이?\s?뭐"
    r"|누구(?:야|니|세요|예요|십니까|냐)|누가\s.{0,4}(?:만들|개발)"
    rf"|(?:너|넌|네|니|당신)[는은]?\s?.{{0,6}}(?:{_OTHERS})",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\bnot\b|n't\b|\bno\b|아니|아닙|아녜|아녀|다른|다릅", re.IGNORECASE)
_AGREED = re.compile(r"\s*(?:yes|yeah|yep|correct|right|네|예|응|맞)(?![가-힣])(?!.*\bnot\b)", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+")


def asks_identity(question: str) -> bool:
    """Whether the question asks who Sori is or who made it."""
    return bool(_ASKED.search(question))


def claims_other_identity(answer: str, question: str) -> bool:
    """Whether an answer to such a question names another assistant or its maker without denying it."""
    if _OTHER.search(question) and _AGREED.match(answer):
        return True
    return any(_OTHER.search(said) and not _DENIED.search(said) for said in _SENTENCE.findall(answer))
