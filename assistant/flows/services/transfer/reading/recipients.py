"""Recipients in a message: people whom the user knows, accounts that were said, and names that are nobody's."""

import re
from collections.abc import Iterator
from typing import Any

from assistant.core.people.finding import Mention, mentions
from assistant.core.people.relations import relations_of
from assistant.core.records.people import Person
from assistant.core.times.english import whole_english
from assistant.flows.services.transfer.reading.pieces import MarkedText, PieceKind, SlotPiece
from assistant.flows.services.transfer.reading.situation import Situation

_BANK_NAMES = {
    "국민은행": "국민 kb kookmin",
    "신한은행": "신한 shinhan",
    "우리은행": "우리 woori",
    "하나은행": "하나 hana",
    "농협은행": "농협 nh nonghyup",
    "기업은행": "기업 ibk",
    "카카오뱅크": "카카오 카뱅 kakao",
    "토스뱅크": "토스 toss",
    "케이뱅크": "케이 k",
    "SC제일은행": "sc제일 제일 sc",
    "iM뱅크": "대구 아이엠 im",
    "부산은행": "부산",
    "광주은행": "광주",
    "전북은행": "전북",
    "경남은행": "경남",
    "제주은행": "제주",
    "씨티은행": "씨티 citi",
    "산업은행": "산업 kdb",
    "수협은행": "수협",
    "신협": "신협",
    "우체국": "우체국",
    "새마을금고": "새마을금고",
}
BANKS = {word: bank for bank, words in _BANK_NAMES.items() for word in words.split()}
"""Banks by the word before 은행, 뱅크 or bank."""
_BANK = rf"(?P<bank>(?:{'|'.join(BANKS)})\s?(?:은행|뱅크|bank)|농협|카뱅|새마을금고|우체국|수협|신협|토스|kb|nh|ibk)"
_NUMBER = r"(?P<number>\d(?:-?\d){7,15})"
_TO = r"(?:한테로?|에게로?|께|앞으로|에다가?|에|으로|로)"
_HOLDER = (
    r"(?:\s*(?:예금주\s?)?(?P<holder>(?!계좌|통장|메모|내일|오늘|모레|다음|이번|나머지)[가-힣]{2,4}?)(?:님|"
    r"씨)?(?P<to>한테로?|에게로?|께|앞으로)?(?=\s|$))?"
)
_ACCOUNT = re.compile(
    rf"(?<![\w가-힣])(?:{_BANK}\s*)?(?:계좌\s?(?:번호)?\s?|account\s?(?:number\s?)?)?{_NUMBER}(?![\d-])(?:\s?계좌)?(?:번)?"
    rf"(?:{_TO}(?![가-힣])|{_HOLDER})",
    re.IGNORECASE,
)
_ONLY_BANK = re.compile(rf"{_BANK}(?:이요|요|이에요|예요|야|이야)?", re.IGNORECASE)
_NO_RECIPIENT = re.compile(r"(?:한테서|에게서|께서|가|의|'s|’s)$")
_FROM = re.compile(r"(?:from|with)\s", re.IGNORECASE)
_AROUND = re.compile(
    r"^(?:(?:to|for|my|our|우리|내|제|저희)\s)+"
    r"|(?:님|씨)?(?:한테로?|에게로?|께|앞으로|랑|이랑|하고|와|과|로|으로|이요|요|야|이야|"
    r"에|이에요|예요)?(?:는|은|도|만|다)?$",
    re.IGNORECASE,
)
_ALSO = re.compile(r"도$|^(?:also|and also)\s", re.IGNORECASE)
_UNKNOWN_KO = re.compile(
    r"(?<![가-힣\w])(?P<name>[가-힣]{1,6}(?:\s[가-힣]{1,3}(?=님|씨|한테|에게))?|[A-Za-z]{2,20})\s?(?:님|"
    r"씨)?(?:한테로?|에게로?|께)(?P<also>도)?(?:는|만|다)?(?![가-힣])"
)
_UNKNOWN_EN = re.compile(r"\bto (?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)\b")
_PRONOUNS = frozenset(
    [
        "걔",
        "쟤",
        "얘",
        "그",
        "저",
        "이",
        "거기",
        "여기",
        "그분",
        "그사람",
        "사람",
        "모두",
        "다",
        "전부",
        "둘",
        "셋",
        "넷",
        "누구",
        "아무",
        "아무나",
        "몰라",
        "글쎄",
        "나",
        "저희",
        "우리",
        "본인",
        "친구들",
        "다들",
        "애들",
        "방금",
        "아까",
    ]
)
_VERB_END = re.compile(r"..(?:[어아지래까다데고면게걸군봐줘해요]|네요)$")
_BARE_KO = re.compile(r"(?P<name>[가-힣]{2,4}?)(?:님|씨)?(?:이요|요|이에요|예요|이야|야|한테요?|에게요?|께요?)?")
_BARE_EN = re.compile(r"(?:to )?(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)")


def of_person(person: Person, said: str = "") -> dict[str, Any]:
    """The recipient that a person is; without an account if none is known.

    Args:
        person: the person.
        said: what the user calls the person.
    """
    account = person.accounts[0] if person.accounts else None
    return {
        "name": said or person.name,
        "person": person.id or person.name,
        "bank": account.bank if account else "",
        "account": account.number if account else "",
        "holder": (account.holder or person.name) if account else person.name,
    }


def mark_accounts(marked: MarkedText) -> None:
    """Replace accounts that were said by signs: ``국민은행 123-456-78901 김철수``."""

    def read(match: re.Match[str]) -> SlotPiece | None:
        bank = bank_of(match["bank"] or "")
        holder = match["holder"] or ""
        number = re.sub(r"\s", "", match["number"])
        name = holder or f"{bank} {number}".strip()
        return SlotPiece(
            PieceKind.RECIPIENT, {"name": name, "person": "", "bank": bank, "account": number, "holder": holder}
        )

    marked.sub(_ACCOUNT, read)


def bank_of(words: str) -> str:
    """The name of a bank; empty if there is none of this name."""
    bare = re.sub(r"(?:은행|뱅크|\s?bank)$", "", words.strip(), flags=re.IGNORECASE).strip()
    return BANKS.get(bare.lower(), "")


def only_bank(text: str) -> str:
    """The bank that a message names and nothing else; empty for other messages."""
    match = _ONLY_BANK.fullmatch(text.strip(" .!"))
    return bank_of(match["bank"]) if match else ""


def mark_people(marked: MarkedText, people: tuple[Person, ...]) -> None:
    """Replace who is named by signs, whoever is known and whoever is not. 엄마가 and "from mom" name no recipient."""
    spans = []
    for start, text in marked.segments():
        for mention, words in recipients_in(text, people):
            piece = SlotPiece(PieceKind.RECIPIENT, recipient_of(mention.people, words), each=bool(_ALSO.search(words)))
            piece.bare = _AROUND.sub("", words) == words
            spans.append((start + mention.start, start + mention.end, piece))
    marked.mark_all(spans)
    for pattern in (_UNKNOWN_KO, _UNKNOWN_EN):
        marked.sub(pattern, _unknown)


def recipients_in(text: str, people: tuple[Person, ...]) -> Iterator[tuple[Mention, str]]:
    """Where a text names people whom money may go to, with the words. 엄마가 and "from mom" name no recipient."""
    for mention in mentions(text, people):
        words = text[mention.start : mention.end].strip()
        from_them = _NO_RECIPIENT.search(words) and not any(words in each.called for each in mention.people)
        if not from_them and not _FROM.match(words):
            yield mention, words


def names_in(text: str, people: tuple[Person, ...]) -> tuple[str, ...]:
    """The words by which a text names recipients, whoever is known and whoever is not."""
    known = list(recipients_in(text, people))
    unknown = [
        match["name"].strip()
        for pattern in (_UNKNOWN_KO, _UNKNOWN_EN)
        for match in pattern.finditer(text)
        if _unknown(match) and not any(each.start < match.end() and match.start() < each.end for each, _ in known)
    ]
    return tuple(dict.fromkeys([*(words for _, words in known), *unknown]))


def bare_name(text: str) -> dict[str, Any] | None:
    """The name that a reply to "to whom?" is as a whole."""
    match = _BARE_KO.fullmatch(text.strip(" .!")) or _BARE_EN.fullmatch(text.strip(" .!"))
    if not match or match["name"] in _PRONOUNS or _VERB_END.search(match["name"]) or whole_english(match["name"]):
        return None
    return {"name": match["name"]}


def chosen(text: str, situation: Situation) -> dict[str, Any] | None:
    """The one of several people of one name that a reply chooses, by what tells them apart; ``None`` if none or more.

    The reply names the relation, the bank, or the place in the list.
    """
    fits = [
        choice
        for number, choice in enumerate(situation.choices, start=1)
        if any(_says(text, choice.get(name, "")) for name in ("label", "bank", "holder")) or _counts(text, number)
    ]
    return fits[0] if len(fits) == 1 else None


def _says(text: str, word: str) -> bool:
    if not word:
        return False
    tail = r"(?:은행)?\s?(?:거|분|쪽|사람|친구)?(?:이요|요|이에요|예요|이야|야|로|으로|한테요?|에게)?"
    name = re.escape(word.removesuffix("은행"))
    return re.fullmatch(rf"(?:the\s+|my\s+)?{name}{tail}", text.strip(" .!"), re.IGNORECASE) is not None


def _counts(text: str, number: int) -> bool:
    tail = r"\s*(?:거|사람|분)?(?:이요|요|이야|로|한테|으로|one|person)?"
    return re.fullmatch(rf"(?:{_nth(number)}){tail}", text.strip(" .!"), re.IGNORECASE) is not None


def _nth(number: int) -> str:
    korean = ("", "첫", "두", "세", "네", "다섯")[number] if number < 6 else str(number)
    english = ("", "first", "second", "third", "fourth", "fifth")[number] if number < 6 else ""
    return rf"{korean}\s?번째|{number}\s?번(?:째)?|(?:the\s+)?{english}"


def recipient_of(people: tuple[Person, ...], words: str) -> dict[str, Any]:
    """The recipient whom words name: one person, several of one name, or a name that is nobody's.

    Args:
        people: whom the words may name.
        words: the words.
    """
    if not people:
        return {"name": words}
    if len(people) == 1:
        return of_person(people[0], _said_name(people[0], words))
    labels = [each.relation or each.note for each in people]
    return {
        "name": people[0].name,
        "candidates": [of_person(each) | {"label": text} for each, text in zip(people, labels, strict=True)],
    }


def _said_name(person: Person, words: str) -> str:
    """What the user calls the person, without particles: 어머니 for 어머니께; the name for a part of it."""
    bare = _AROUND.sub("", words)
    known = {each.casefold(): each for each in person.called}
    return known.get(bare.casefold()) or (bare if relations_of(bare.casefold().replace(" ", "")) else person.name)


def _unknown(match: re.Match[str]) -> SlotPiece | None:
    name = match["name"].strip()
    if name in _PRONOUNS or name.split()[0] in _PRONOUNS or whole_english(name):
        return None
    return SlotPiece(PieceKind.RECIPIENT, {"name": name}, each=bool(match.groupdict().get("also")))
