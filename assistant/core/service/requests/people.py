"""Requests for the people whom the user knows."""

from dataclasses import dataclass

from assistant.core.records.people import FoundPeople, Person
from assistant.core.service.request import Request, Right


class ListPeople(Request[tuple[Person, ...]]):
    """List the people by name. The numbers of their accounts are masked.

    Attributes:
        words: only those of whom something contains all these words; empty for all.
    """

    words: str = ""


class FindPerson(Request[FoundPeople]):
    """Find whom words name, such as 엄마 or 김 대리님. The numbers of accounts are masked.

    Attributes:
        said: a name, a relation or an alias, with titles and particles.
    """

    said: str


class ShowPerson(Request[Person], right=Right.MANAGE):
    """Show all that is kept of a person, with the whole numbers of accounts.

    Attributes:
        person: the id.
    """

    person: str


class AddPerson(Request[Person], right=Right.MANAGE):
    """Keep a person.

    Attributes:
        kept: the person, without an id.
    """

    kept: Person


class ChangePerson(Request[Person], right=Right.MANAGE):
    """Keep something else of a person.

    Attributes:
        person: the id.
        kept: all that is kept from now on.
    """

    person: str
    kept: Person


class RemovePerson(Request[Person], right=Right.MANAGE):
    """Remove a person. ``RestorePerson`` undoes it for ``UNDO_S`` seconds; then nothing of the person is left.

    Attributes:
        person: the id.
    """

    person: str


class RestorePerson(Request[bool], right=Right.MANAGE):
    """Undo a removal. The result is whether the person is back.

    Attributes:
        person: the id.
    """

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPeople:
    """What came of an import.

    Attributes:
        added: how many people were added.
        known: how many were there already, with the same name and nothing that tells them apart.
        unreadable: how many could not be taken, for example without a name.
    """

    added: int
    known: int = 0
    unreadable: int = 0


class ImportPeople(Request[ImportedPeople], right=Right.MANAGE):
    """Add the people of a vCard file.

    Attributes:
        text: the text of the file (RFC 6350, or versions 2.1 and 3.0).
    """

    text: str


class ExportPeople(Request[str], right=Right.MANAGE):
    """Write all people as a vCard file (RFC 6350), with the whole numbers of accounts. The result is its text."""


UNDO_S = 8.0
"""Seconds in which a removal can be undone: long enough to read the offer and act."""
