"""People whom the user knows, as they are kept and shown."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class BankAccount:
    """An account to which the user sends money.

    Attributes:
        bank: name of the bank.
        number: number of the account, with the hyphens that the user wrote.
        holder: in whose name it is; empty for the person's own.
    """

    bank: str
    number: str
    holder: str = ""

    @property
    def masked(self) -> str:
        """The number as it is listed: only its last four digits, in as many as it has at most half of them."""
        digits = sum(map(str.isdigit, self.number))
        hidden = digits - min(4, digits // 2)
        shown = []
        for letter in self.number:
            shown.append("•" if letter.isdigit() and hidden > 0 else letter)
            hidden -= letter.isdigit()
        return "".join(shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person whom the user knows.

    Attributes:
        id: the id; empty for a person who is not kept yet.
        name: the name, in Unicode's composed form, as all texts here.
        relation: what the person is to the user, in the user's words: 엄마, team lead.
        aliases: other names by which the user calls the person.
        accounts: accounts for transfers, the usual one first.
        phone: telephone number.
        email: address of mail.
        birthday: ``YYYY-MM-DD``, or ``--MM-DD`` without the year; of the solar calendar.
        note: what else the user wants kept.
    """

    id: str = ""
    name: str
    relation: str = ""
    aliases: tuple[str, ...] = ()
    accounts: tuple[BankAccount, ...] = ()
    phone: str = ""
    email: str = ""
    birthday: str = ""
    note: str = ""

    @property
    def called(self) -> tuple[str, ...]:
        """All names by which the user may call the person: the name, the aliases, the relation."""
        return tuple(filter(None, (self.name, *self.aliases, self.relation)))

    @property
    def masked(self) -> "Person":
        """The person as it is listed, with masked numbers of accounts."""
        return replace(self, accounts=tuple(replace(each, number=each.masked) for each in self.accounts))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPeople:
    """Who may be meant by what was said.

    Attributes:
        matches: those whom the words name. With more than one, the user must say which.
        near: those whom the words nearly name, the nearest first. They are offered, never taken. Empty with matches.
    """

    matches: tuple[Person, ...] = ()
    near: tuple[Person, ...] = ()

    @property
    def only(self) -> Person | None:
        """The person who is meant; ``None`` if nobody is, or several may be."""
        return self.matches[0] if len(self.matches) == 1 else None
