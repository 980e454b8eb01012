"""People as vCard: version 4.0 (RFC 6350) is written, versions 2.1 and 3.0 are read too. Pure.

Only what ``Person`` holds is taken. What vCard has no property for is in properties of Sori's own: the relation and the
accounts.
"""

import quopri
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assistant.core.records.people import BankAccount, Person

LARGEST_LETTERS: Final = 20_000_000
"""Longest text that is read, in characters: thousands of people with their pictures."""
_RELATION: Final = "X-SORI-RELATION"
_ACCOUNT: Final = "X-SORI-ACCOUNT"
_LINE: Final = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;(?:\"[^\"]*\"|[^\":])*)*):(.*)", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\([\\,;nN:])")
_DAY: Final = re.compile(r"(\d{4}|--)-?(\d{2})-?(\d{2})")
_HANGUL: Final = re.compile("[가-힣]+")
_MOST_OCTETS: Final = 75
"""Longest line (section 3.2)."""


@dataclass(frozen=True, slots=True)
class _Property:
    name: str
    parameters: str
    value: str

    @property
    def text(self) -> str:
        return _unescaped(self.value).strip()

    @property
    def parts(self) -> list[str]:
        """The parts of a structured value."""
        return [_unescaped(each).strip() for each in _split(self.value, ";")]


def read_people(text: str) -> tuple[tuple[Person, ...], int]:
    """The people of a vCard file, and how many of its cards name nobody."""
    cards = list(_cards(_lines(text)))
    people = tuple(filter(None, map(_person, cards)))
    return people, len(cards) - len(people)


def write_people(people: Iterable[Person]) -> str:
    """People as a vCard file."""
    return "".join(f"{_folded(line)}\r\n" for each in people for line in _written(each))


def _written(person: Person) -> Iterator[str]:
    yield from ("BEGIN:VCARD", "VERSION:4.0")
    yield f"FN:{_escaped(person.name)}"
    if person.aliases:
        yield f"NICKNAME:{','.join(map(_escaped, person.aliases))}"
    for name, value in (("TEL", person.phone), ("EMAIL", person.email), ("NOTE", person.note)):
        if value:
            yield f"{name}:{_escaped(value)}"
    if person.birthday:
        # ISO 8601 in the basic form, as section 4.3.1 wants it: 19620304, --0304.
        year, month, day = person.birthday.rsplit("-", 2)
        yield f"BDAY:{'--' if year == '-' else year}{month}{day}"
    if person.relation:
        yield f"{_RELATION}:{_escaped(person.relation)}"
    for account in person.accounts:
        yield f"{_ACCOUNT}:{';'.join(map(_escaped, (account.bank, account.number, account.holder)))}"
    yield "END:VCARD"


def _person(card: Sequence[_Property]) -> Person | None:
    found: dict[str, list[_Property]] = {}
    for each in card:
        found.setdefault(each.name, []).append(each)

    def first(name: str) -> str:
        return next((each.text for each in found.get(name, ()) if each.text), "")

    name = first("FN") or _name_of(found.get("N", ())) or first("ORG").replace(";", " ")
    if not name.strip():
        return None
    nicknames = (_unescaped(part).strip() for each in found.get("NICKNAME", ()) for part in _split(each.value, ","))
    accounts = [[*each.parts, "", "", ""][:3] for each in found.get(_ACCOUNT, ())]
    return Person(
        name=name,
        relation=first(_RELATION),
        aliases=tuple(filter(None, nicknames)),
        accounts=tuple(BankAccount(bank=bank, number=number, holder=holder) for bank, number, holder in accounts),
        phone=first("TEL").removeprefix("tel:"),
        email=first("EMAIL").removeprefix("mailto:"),
        birthday=_birthday(next(iter(found.get("BDAY", ())), None)),
        note=first("NOTE"),
    )


def _name_of(names: Sequence[_Property]) -> str:
    """The name of a structured one: Korean names begin with the surname, without a space."""
    if not names:
        return ""
    family, given, *_ = [*names[0].parts, "", ""]
    if _HANGUL.fullmatch(family + given):
        return family + given
    return f"{given} {family}".strip()


def _birthday(written: _Property | None) -> str:
    found = None if written is None else _DAY.match(written.text)
    if written is None or found is None:
        return ""
    # Apple writes a year in the place of none, and says so.
    year = "-" if found[1] == "--" or f"={found[1]}" in written.parameters else found[1]
    return f"{year}-{found[2]}-{found[3]}"


def _cards(lines: Iterable[str]) -> Iterator[list[_Property]]:
    card: list[_Property] | None = None
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        each = _Property(found[1].upper(), found[2].upper(), _decoded(found[3], found[2].upper()))
        if each.name == "BEGIN" and each.value.strip().upper() == "VCARD":
            card = []
        elif each.name == "END" and card is not None:
            yield card
            card = None
        elif card is not None:
            card.append(each)


def _lines(text: str) -> Iterator[str]:
    """The lines of a file with those that go on joined: by a space at the beginning, or a ``=`` of quoted-printable."""
    waiting = ""
    quoted = False
    for line in text.lstrip("\ufeff").splitlines():
        if quoted and waiting.endswith("="):
            waiting = f"{waiting[:-1]}{line}"
            continue
        if line[:1] in {" ", "\t"}:
            waiting += line[1:]
            continue
        yield waiting
        waiting = line
        quoted = "QUOTED-PRINTABLE" in line.partition(":")[0].upper()
    yield waiting


def _decoded(value: str, parameters: str) -> str:
    """The text of a value that version 2.1 wrote as quoted-printable."""
    if "QUOTED-PRINTABLE" not in parameters:
        return value
    content = quopri.decodestring(value.encode("ascii", "replace"))
    try:
        return content.decode("cp949" if "EUC-KR" in parameters or "CP949" in parameters else "utf-8")
    except UnicodeDecodeError:
        return content.decode("cp949", "replace")


def _split(value: str, at: str) -> list[str]:
    """The parts of a value between separators that are not escaped."""
    return [each.replace("\0", "\\\\") for each in re.split(rf"(?<!\\){at}", value.replace("\\\\", "\0"))]


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _escaped(value: str) -> str:
    return re.sub(r"([\\,;])", r"\\\1", value).replace("\n", "\\n")


def _folded(line: str) -> str:
    """A line in pieces of at most 75 octets, none of which cuts a character."""
    pieces, size = [""], 0
    for letter in line:
        octets = len(letter.encode())
        if size + octets > _MOST_OCTETS:
            pieces.append(" ")
            size = 1
        pieces[-1] += letter
        size += octets
    return "\r\n".join(pieces)
