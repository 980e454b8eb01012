"""Korean particles directly after a word in Latin letters: ``https://example.kr에서``, ``__name__은``.

Korean writes particles and the copula without a space. After a sign, a digit or a Latin letter they are the only Hangul
that belongs to the sentence and not to the word.
"""

import re

_CASES = (
    "에서|에게|한테|께|으로|로|까지|부터|보다|처럼|마다|조차|마저|밖에|만큼|대로|하고|이랑|랑|서|써|쯤|씩|뿐|"
    "이나|나|이며|며|이고|고|이든|든|이란|란|은|는|이|가|을|를|의|에|과|와|도|만|요"
)
_COPULA = (
    "입니[가-힣]{1,4}|이에요|예요|이었[가-힣]{1,5}|였[가-힣]{1,5}|이[다야죠]|이지만?|지만|[죠야]|인데요?|인가요?|인지|인|"
    "이?네요|이?니까?요?|이?므로|임|이?군요?|이?구나|이?라(?:고|는|며|면|서|도|던|지만)?[가-힣]{0,4}|일까요?"
)
_PARTICLES = rf"(?:(?:{_CASES}){{1,3}}(?:{_COPULA})?|{_COPULA})(?![가-힣])"
_ONLY = re.compile(_PARTICLES)
_LONG = (
    r"(?:에서(?:[는도만의]|부터)?|에게서?|한테|으로[는도만의]?|에[는도만]|까지[는도만의]?|부터[는도의]?|처럼|보다|이라고|라고|"
    r"이라는|라는|하고|입니다|이에요|예요|[를는])(?![가-힣])"
)
_WORD = re.compile(rf"[가-힣]{{2,}}?(?={_LONG})|[가-힣]+")


def particles_at(text: str, start: int) -> int:
    """End of the particles at ``start`` (``에서``), or ``start`` where other Hangul (``이벤트``) or none follows."""
    found = _ONLY.match(text, start)
    return found.end() if found else start


def end_of_word(text: str, start: int) -> int:
    """End of the Hangul word at ``start``, which begins with Hangul, without its particle.

    Only particles that end hardly any noun are told from it: ``서울에서`` is 서울, but ``고속도로`` is itself.
    """
    found = _WORD.match(text, start)
    return found.end() if found else start
