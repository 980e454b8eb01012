"""``sori flows``: the services of guided flows, for those who write one (F-06)."""

import argparse
import sys
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.app.cli.typed_ahead import answered_yes
from assistant.core.records.flow_services import FlowServiceFault, FlowServiceFiles, FlowServiceShown, FlowServiceState
from assistant.core.service.requests.guided import flow_services as rq
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status: 1 when something is off, wrong or not allowed.

    Raises:
        StorageError: a file cannot be written.
        RefusedError: there is no such service, or it cannot be made.
    """
    if arguments.action == "run":
        from assistant.app.commands.flows.talking import run as run_talking

        return run_talking(places, settings, texts, arguments.name)
    if arguments.action == "test":
        from assistant.app.commands.flows.testing import run as run_tests

        return run_tests(places, texts, arguments.name)

    def part(_: "Hub") -> "Domain":
        from assistant.app.parts.flow_services import flow_services

        return flow_services(places, settings, texts)

    return attached(places, texts, part, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "new":
            made = await ask(rq.MakeFlowService(service=arguments.name, template=arguments.template))
            print(texts("cli.flows.made", name=made.name, folder=made.folder))
            return _told(texts, made)
        case "check":
            return await _check(ask, texts, arguments.name)
        case "reload" if arguments.name:
            return await _allow(ask, texts, arguments.name, sure=arguments.yes)
        case "reload":
            return _list(await ask(rq.ReloadFlowServices()), texts)
        case _:
            return _list(await ask(rq.ListFlowServices()), texts)


def _list(services: tuple[FlowServiceShown, ...], texts: Texts) -> int:
    for each in services:
        state = texts(f"cli.flows.state.{each.state.value}")
        place = texts("cli.flows.own" if each.own else "cli.flows.built_in")
        print("  ".join(filter(None, [each.name, each.title, each.version, state, place])))
        if each.description:
            print(f"    {each.description}")
        if each.fault is not None:
            _tell(each.fault)
    return int(any(each.state is FlowServiceState.OFF for each in services))


async def _check(ask: CarryOut, texts: Texts, name: str | None) -> int:
    names = [name] if name else [each.name for each in await ask(rq.ReloadFlowServices())]
    wrong = 0
    for each in names:
        faults = await ask(rq.CheckFlowService(service=each))
        print(texts("cli.flows.faults" if faults else "cli.flows.no_faults", name=each, count=len(faults)))
        for fault in faults:
            _tell(fault)
        wrong += len(faults)
    return int(wrong > 0)


async def _allow(ask: CarryOut, texts: Texts, name: str, *, sure: bool) -> int:
    """Show what differs from the allowed files, and allow it after a yes."""
    files = await ask(rq.ShowFlowServiceFiles(service=name))
    if not files.allowed:
        _show(files, texts)
        answer = sure or answered_yes(texts("cli.flows.ask"))
        if not answer:
            print(texts("cli.flows.cannot_ask" if answer is None else "cli.flows.not_allowed"), file=sys.stderr)
            return 1
    return _told(texts, await ask(rq.AllowFlowService(service=name, digest=files.digest)))


def _show(files: FlowServiceFiles, texts: Texts) -> None:
    print(files.folder)
    for kind, paths in (("added", files.added), ("changed", files.changed), ("removed", files.removed)):
        for path in paths:
            print(f"    {texts(f'cli.flows.{kind}')}  {path}")


def _told(texts: Texts, service: FlowServiceShown) -> int:
    if service.fault is not None:
        print(texts("cli.flows.is_off", name=service.name))
        _tell(service.fault)
        return 1
    print(texts("cli.flows.is_on", name=service.name, title=service.title))
    return 0


def _tell(fault: FlowServiceFault) -> None:
    where = f"{fault.file}:{fault.line}: " if fault.line else f"{fault.file}: " if fault.file else ""
    print(f"    {where}{fault.message} {fault.remedy}")
