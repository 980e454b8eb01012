"""``sori models``: lists, pulls, verifies and removes weights. It also has the progress bars of a fetch."""

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tqdm import tqdm

from assistant.app.cli.asking import CarryOut, attached
from assistant.app.commands.sound.recognition_speed import kept_lines
from assistant.app.commands.sound.recognition_speed import run as recommend
from assistant.core.display.sizes import size_words
from assistant.core.display.table import aligned
from assistant.core.service.events import Delivery
from assistant.core.service.requests.models import PullModel, RemoveModel, VerifyModel
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import WeightsRead
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_models
from assistant.host.places import Places
from assistant.weights.manifest import Model
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelState, ModelStore

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain


class FetchBars:
    """Shows downloads on standard error: bars on a terminal, else a line at the start and one at the end.

    Args:
        texts: the user's texts.
        key: key of a bar's title.
        introduced: whether a line above the first bar explains the download, for users who did not ask for it.
    """

    def __init__(self, texts: Texts, key: str = "models.fetching", *, introduced: bool = False) -> None:
        self._texts, self._key = texts, key
        self._introduced = introduced
        self._bar: tqdm[object] | None = None
        self._model = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stopped = bool(self._model)
        self._close()
        if stopped and kind is KeyboardInterrupt:
            sys.stderr.write(f"{self._texts('models.goes_on')}\n")

    def __call__(self, progress: FetchProgress) -> None:
        """Show the progress of a model."""
        if progress.model != self._model:
            self._open(progress)
        if self._bar is not None:
            self._bar.total = progress.total
            self._bar.update(progress.done - self._bar.n)
        if progress.done >= progress.total:
            self._finish(progress)

    def _open(self, progress: FetchProgress) -> None:
        self._close()
        self._model = progress.model
        title = self._texts(self._key, model=progress.model)
        if self._introduced:
            self._introduced = False
            sys.stderr.write(f"{self._texts('models.introduction')}\n")
        if sys.stderr.isatty():
            self._bar = tqdm(total=progress.total, desc=title, unit="B", unit_scale=True, file=sys.stderr)
        else:
            sys.stderr.write(f"{title} ({size_words(progress.total)}) …\n")

    def _finish(self, progress: FetchProgress) -> None:
        if self._bar is None and self._model:
            sys.stderr.write(f"  {self._texts('models.done', model=progress.model)}\n")
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar, self._model = None, ""


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Run the chosen action; returns the exit status."""
    store = open_store(places.home)
    if arguments.action == "list":
        status = _list(store, settings, texts, as_json=arguments.json)
        if not arguments.json:
            print()
            for line in kept_lines(places, settings, store.folder, texts):
                print(line)
        return status
    if arguments.action == "recommend":
        return recommend(places, settings, texts, arguments, store)
    return _change(places, settings, texts, arguments, store)


def _change(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace, store: ModelStore) -> int:
    """Have weights fetched, checked or deleted; returns the exit status."""

    def part(hub: "Hub") -> "Domain":
        from assistant.engine.domains.weights import Weights

        return Weights(lambda: store, hub.deliver)

    async def work(ask: CarryOut) -> int:
        match arguments.action:
            case "pull":
                names = arguments.names or needed_models(settings)
                return await _pull(ask, store, names, texts, allow_unverified=arguments.allow_unverified)
            case "verify":
                return await _verify(ask, store, arguments.names, texts)
            case _:
                return await _remove(ask, store, arguments.names, texts)

    with FetchBars(texts, "models.verifying" if arguments.action == "verify" else "models.fetching") as bars:

        def show(delivery: Delivery) -> None:
            if isinstance(event := delivery.event, WeightsRead):
                bars(FetchProgress(model=event.model, done=event.done, total=event.total))

        return attached(places, texts, part, work, show)


def _list(store: ModelStore, settings: Settings, texts: Texts, *, as_json: bool) -> int:
    needed, states = set(needed_models(settings)), store.states()
    if as_json:
        print(json.dumps([_entry(each, needed) for each in states], ensure_ascii=False, indent=1))
        return 0
    heads = [
        texts(f"models.column.{name}") for name in ("name", "state", "size", "languages", "licence", "source", "title")
    ]
    rows = [
        [
            each.model.name + (" *" if each.model.name in needed else ""),
            texts(f"models.state.{state_of(each)}"),
            size_words(each.model.size),
            " ".join(each.model.languages),
            each.model.licence,
            texts(f"models.source.{each.model.source}"),
            each.model.title,
        ]
        for each in states
    ]
    for row in aligned([heads, *rows]):
        print(row)
    print(texts("models.legend", folder=store.folder))
    return 0


def state_of(state: ModelState) -> str:
    """``present``, ``absent`` or ``damaged``: key of the word below ``models.state``."""
    if state.present:
        return "present"
    return "absent" if state.absent else "damaged"


def _entry(state: ModelState, needed: set[str]) -> dict[str, object]:
    model: Model = state.model
    return {
        "name": model.name,
        "title": model.title,
        "purpose": model.purpose,
        "state": state_of(state),
        "needed": model.name in needed,
        "size": model.size,
        "licence": model.licence,
        "languages": list(model.languages),
        "home": model.home,
        "source": model.source,
        "packages": [each.name for each in model.packages],
        "verifiable": model.verifiable,
        "faults": [{"file": each.file, "flaw": each.flaw.value} for each in state.faults],
    }


async def _pull(ask: CarryOut, store: ModelStore, names: Sequence[str], texts: Texts, *, allow_unverified: bool) -> int:
    for state in store.states():
        if state.model.name in names and state_of(state) == "damaged":
            for fault in state.faults:
                logging.getLogger(__name__).warning("%s/%s is %s", fault.model, fault.file, fault.flaw)
                print(texts(f"models.fault.{fault.flaw.value}", model=fault.model, file=fault.file))
    for name in names:
        await ask(PullModel(model=name, allow_unverified=allow_unverified))
    print(texts("models.pulled", models=", ".join(names), folder=store.folder))
    return 0


async def _verify(ask: CarryOut, store: ModelStore, names: Sequence[str], texts: Texts) -> int:
    names = names or [each.model.name for each in store.states() if not each.absent]
    faults = [fault for name in names for fault in await ask(VerifyModel(model=name))]
    for each in faults:
        print(texts(f"models.fault.{each.flaw}", model=each.model, file=each.file))
    own = [name for name in names if store.manifest[name].own]
    if faults:
        if fetchable := sorted({each.model for each in faults}.difference(own)):
            print(texts("models.pull_again", models=" ".join(fetchable)))
        return 1
    if own:
        print(texts("models.unverifiable", models=", ".join(own)))
    if whole := [name for name in names if name not in own]:
        print(texts("models.verified", models=", ".join(whole)))
    elif not own:
        print(texts("models.none"))
    return 0


async def _remove(ask: CarryOut, store: ModelStore, names: Sequence[str], texts: Texts) -> int:
    here = {each.model.name for each in store.states() if not each.absent}
    for name in names:
        there = name in here or store.fraction(name) > 0
        await ask(RemoveModel(model=name))
        print(texts("models.removed" if there else "models.not_there", model=name))
    return 0
