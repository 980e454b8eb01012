"""The memo of a transfer: free words, so they are found before everything else. Pure."""

import re

from assistant.flows.services.transfer.reading.pieces import MarkedText, PieceKind, SlotPiece

_DO = (
    r"(?:\s*(?:해|적어|남겨|써|넣어|달아|바꿔|변경해|고쳐|기재해|표시해|붙여)\s?(?:줘요?|"
    r"주세요|줄래요?|주라|놔\s?줘|서|고)?(?:요)?"
    r"|\s*(?:할게|하자|부탁해)요?)?"
)
_VERB = r"(?:보내|이체|송금|부쳐|입금|쏴|부탁)"
_STOP = rf"(?=\s*(?:$|[,.;]|그리고(?![가-힣])|{_VERB}|(?:날짜|금액|받는\s?사람|이체일)(?:은|는|을|를)))"
_CLEARED = re.compile(
    r"(?:그\s?)?메모(?:는|은|를|을)?\s?(?:빼\s?고|빼|지워|지우고|없애|없이|삭제해|삭제|"
    r"됐어|안\s?할래|안\s?적을래|필요\s?없어|취소해)\s?(?:줘|주세요)?(?:요)?"
    r"|\b(?:remove|drop|clear|delete|forget|skip)\s(?:the\s)?(?:memo|note)\b|\b(?:no|without(?: a)?)\s(?:memo|note)\b",
    re.IGNORECASE,
)
_KOREAN = re.compile(
    rf"메모(?:는|은|에는|에|란에|를|을|로)?\s*[:：]?\s*(?P<text>[^,.;\ue000-\uf8ff]+?)\s*(?:이라고|"
    rf"라고|으로|로)?{_DO}{_STOP}"
)
_QUOTED = re.compile(
    rf"(?P<text>[\"'“‘「](?P<inner>[^\"'”’」]+)[\"'”’」])\s*(?:이라고|라고|으로|로)?\s*(?:메모|"
    rf"적어|써|남겨)(?:로|를|에)?{_DO}"
)
_SO_CALLED = re.compile(rf"(?:^|\s)(?P<text>\S+(?:\s\S+)?)(?:이라고|라고)\s*메모(?:를|에|도)?{_DO}(?=\s|$|{_VERB})")
_AS_MEMO = re.compile(rf"(?:^|\s)(?P<text>[가-힣]+)\s*메모로{_DO}(?=\s|$|{_VERB})")
_ENGLISH = re.compile(
    r"(?:\b(?:and\s+)?(?:with|add|put|use|make|set|change)\s+)?\b(?:the\s+|a\s+)?(?:memo|note|message)\b"
    r"(?:\s*:|\s+(?:should\s+(?:be|say|read)|to\s+(?:be|say)|to|is|be|says?|saying|reading|as|of))?\s+"
    r"(?P<text>[^,;.]+?)(?:\s+please)?(?=\s*(?:$|[,;.]|\band\s+(?:the\s+(?:date|amount)|send|make)))",
    re.IGNORECASE,
)
_FOR_ALL = re.compile(r"^(?:다|모두|전부)\s+")


def mark_memo(marked: MarkedText) -> None:
    """Replace the memo by a sign; its value is the text, or empty where the memo is to go."""
    marked.sub(_CLEARED, lambda _: SlotPiece(PieceKind.MEMO, ""))
    if marked.pieces:
        return
    for pattern in (_QUOTED, _SO_CALLED, _AS_MEMO, _KOREAN, _ENGLISH):
        marked.sub(pattern, _memo)
        if marked.pieces:
            return


def _memo(match: re.Match[str]) -> SlotPiece | None:
    text = (match.groupdict().get("inner") or match["text"]).strip(" \"'“”‘’")
    bare = _FOR_ALL.sub("", text)
    return SlotPiece(PieceKind.MEMO, bare, each=bare != text) if bare else None
