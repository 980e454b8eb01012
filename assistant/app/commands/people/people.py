"""``sori people``: lists, shows, keeps, removes, imports and exports the people whom the user knows (D-07)."""

import argparse
import asyncio
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.core.display.table import fitting
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.formats.text_encoding import decoded
from assistant.core.records.people import BankAccount, Person
from assistant.core.service.requests import people as rq
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status: 1 when nobody is found, or several are.

    Raises:
        SoriError: a file cannot be read or written.
        StorageError: the database cannot be used.
        RefusedError: somebody cannot be kept.
    """

    def part(_: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.people import people

        return people(places, texts)

    return attached(places, texts, part, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "add":
            added = await ask(rq.AddPerson(kept=_with_options(Person(name=arguments.name), arguments)))
            print(texts("cli.people.added", name=added.name))
            return 0
        case "restore":
            restored = await ask(rq.RestorePerson(person=arguments.id))
            print(texts("cli.people.restored" if restored else "cli.people.not_restored"))
            return 0 if restored else 1
        case "import":
            return await _import(ask, arguments.file, texts)
        case "export":
            return await _export(ask, arguments.file, texts)
        case "list":
            found = await ask(rq.ListPeople(words=" ".join(arguments.words)))
            return _list(found, texts, as_json=arguments.json)
        case _:
            return await _about_one(ask, texts, arguments)


async def _about_one(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    """Show, change or remove the person who is named."""
    found = await ask(rq.FindPerson(said=arguments.who))
    if found.only is None:
        key = "several" if found.matches else "near" if found.near else "nobody"
        names = ", ".join(_named(each) for each in found.matches or found.near)
        print(texts(f"cli.people.{key}", who=arguments.who, names=names), file=sys.stderr)
        return 1
    person = await ask(rq.ShowPerson(person=found.only.id))
    match arguments.action:
        case "change":
            name = arguments.name or person.name
            kept = _with_options(replace(person, name=name), arguments)
            changed = await ask(rq.ChangePerson(person=person.id, kept=kept))
            print(texts("cli.people.changed", name=changed.name))
        case "remove":
            await ask(rq.RemovePerson(person=person.id))
            print(texts("cli.people.removed", name=person.name, id=person.id))
        case _ if arguments.json:
            print(json.dumps(asdict(person), ensure_ascii=False, indent=1))
        case _:
            print("\n".join(_lines(person, texts)))
    return 0


def _with_options(person: Person, arguments: argparse.Namespace) -> Person:
    """A person with what the options give; an empty option takes something away."""
    words = ("relation", "phone", "email", "birthday", "note")
    given = {each: value for each in words if (value := getattr(arguments, each)) is not None}
    changed = replace(person, **given)
    if arguments.alias is not None:
        changed = replace(changed, aliases=tuple(arguments.alias))
    if arguments.account is not None:
        changed = replace(changed, accounts=tuple(map(_account, filter(str.strip, arguments.account))))
    return changed


def _account(words: str) -> BankAccount:
    """An account of words: the bank, the number, and who holds it if that is somebody else."""
    bank, number, *holder = [*words.split(), "", ""]
    return BankAccount(bank=bank, number=number, holder=" ".join(holder).strip())


def _list(people: tuple[Person, ...], texts: Texts, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps([asdict(each) for each in people], ensure_ascii=False, indent=1))
        return 0
    if not people:
        print(texts("cli.people.none"))
        return 0
    columns = ("name", "relation", "phone", "birthday", "account")
    rows = [[texts(f"cli.people.column.{each}") for each in columns]]
    for each in people:
        account = f"{each.accounts[0].bank} {each.accounts[0].number}" if each.accounts else ""
        rows.append([text or "-" for text in (each.name, each.relation, each.phone, each.birthday, account)])
    for line in fitting(rows):
        print(line)
    return 0


def _lines(person: Person, texts: Texts) -> list[str]:
    accounts = [" ".join(filter(None, (each.bank, each.number, each.holder))) for each in person.accounts]
    told = [
        ("relation", person.relation),
        ("alias", ", ".join(person.aliases)),
        ("phone", person.phone),
        ("email", person.email),
        ("birthday", person.birthday),
        *(("account", each) for each in accounts),
        ("note", person.note),
    ]
    return [person.name, *(f"  {texts(f'cli.people.column.{name}')}: {value}" for name, value in told if value)]


def _named(person: Person) -> str:
    return f"{person.name} ({person.relation})" if person.relation else person.name


async def _import(ask: CarryOut, file: Path, texts: Texts) -> int:
    try:
        text = decoded(await asyncio.to_thread(file.read_bytes))
    except OSError as error:
        raise _file_trouble("import_unreadable", file, error) from error
    result = await ask(rq.ImportPeople(text="" if text is None else text.text))
    values = {"added": str(result.added), "known": str(result.known), "unreadable": str(result.unreadable)}
    print(texts("cli.people.imported", **values))
    return 0


async def _export(ask: CarryOut, file: str | None, texts: Texts) -> int:
    text = await ask(rq.ExportPeople())
    if file is None:
        print(text.replace("\r\n", "\n"), end="")
        return 0
    try:
        await asyncio.to_thread(Path(file).write_bytes, text.encode())
    except OSError as error:
        raise _file_trouble("export_unwritable", Path(file), error) from error
    print(texts("cli.people.exported", path=file))
    return 0


def _file_trouble(key: str, path: Path, error: OSError) -> SoriError:
    reason = error.strerror or str(error)
    values = {"file": str(path), "problem": reason}
    return SoriError(ErrorCode.INVALID_REQUEST, f"{path}: {reason}", message_key=key, values=values, cause=error)
