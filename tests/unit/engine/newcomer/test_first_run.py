"""Where the first run stands is kept once for a home, whatever happens to the process."""

from pathlib import Path

import pytest

from assistant.core.service.requests.engine import FirstRunStanding, KeepFirstRun, ShowFirstRun
from assistant.engine.newcomer.first_run import FirstRun
from tests.fakes.front.asking import ask


class Home:
    """A home, in which somebody has written to Sori or not."""

    def __init__(self, folder: Path, *, used: bool) -> None:
        self.path, self.used = folder / "first-run.json", used

    async def is_used(self) -> bool:
        return self.used

    async def standing(self) -> FirstRunStanding:
        """Where it stands for a new process."""
        standing: FirstRunStanding = await ask(FirstRun(self.path, self.is_used), ShowFirstRun())
        return standing

    async def keep(self, step: str, *, over: bool = False) -> None:
        await ask(FirstRun(self.path, self.is_used), KeepFirstRun(step=step, over=over))


@pytest.mark.parametrize(
    ("used", "kept", "step", "over"),
    [
        (False, [], "", False),
        (True, [], "", True),
        (False, [("language", False)], "language", False),
        (False, [("language", False), ("microphone", False)], "microphone", False),
        (True, [("microphone", False)], "microphone", False),
        (False, [("language", True)], "language", True),
        (False, [("name", False), ("name", True)], "name", True),
        (True, [("trying", True)], "trying", True),
        (False, [("trying", True), ("language", False)], "language", False),
    ],
)
async def test_it_goes_on_where_it_was_until_it_is_over(
    tmp_path: Path, used: bool, kept: list[tuple[str, bool]], step: str, over: bool
) -> None:
    home = Home(tmp_path, used=used)
    for each, ended in kept:
        await home.keep(each, over=ended)
    assert await home.standing() == FirstRunStanding(step=step, over=over)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"language"', '{"step": 1}', '{"over": false}', "\x00\xff"])
async def test_a_file_that_cannot_be_read_leads_nobody_through_the_steps_again(tmp_path: Path, text: str) -> None:
    home = Home(tmp_path, used=False)
    home.path.write_text(text, encoding="latin-1")
    assert (await home.standing()).over
    await home.keep("speaker")
    assert await home.standing() == FirstRunStanding(step="speaker")
