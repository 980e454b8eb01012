import asyncio
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from matplotlib.font_manager import fontManager

from assistant.app.cli.usage_plot import draw
from assistant.app.command_line import main
from assistant.app.commands.records.usage import first_day
from assistant.core.display.table import cells
from assistant.core.records.usage import Exchange
from assistant.host.clock import SystemClock
from assistant.host.places import PROJECT
from assistant.host.texts import load_texts
from assistant.storage.database import Database
from assistant.storage.records.usage import UsageStore
from tests.fakes.clock import KOREA

pytestmark = pytest.mark.usefixtures("home")

EXCHANGE = Exchange(
    conversation="c",
    provider="mine",
    model="m",
    input=1000,
    output=200,
    cached=600,
    total=1200,
    first_token_ms=250.0,
    total_ms=1500.0,
    requests=1,
    tool_calls=0,
    outcome="complete",
    cost=0.5,
)
UNKNOWN = replace(EXCHANGE, input=None, output=None, cached=None, total=None, cost=None, outcome="network")

Used = Callable[..., None]


@pytest.fixture
def used(home: Path) -> Used:
    """Writes exchanges down, dated now unless they are dated."""

    async def record(exchanges: tuple[Exchange, ...]) -> None:
        database = await Database.open(home / "sori.db", SystemClock())
        for each in exchanges:
            await UsageStore(database, SystemClock()).record(each)
        await database.close()

    return lambda *exchanges: asyncio.run(record(exchanges))


def days_ago(days: int) -> str:
    return (SystemClock().now() - timedelta(days=days)).isoformat()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["usage", *arguments]) == 0
    return capsys.readouterr().out


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(printed(capsys, "--json", *arguments))["rows"]
    return found


def test_where_nothing_was_asked_it_says_so(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert "No language model was asked" in printed(capsys, "--plot", str(home / "a.png"))
    assert main(["usage", "--plot", str(home / "a.png")]) == 0
    assert f"{home / 'a.png'} was not written" in capsys.readouterr().err
    assert not (home / "a.png").exists()
    assert not (home / "a.png").exists()
    assert json.loads(printed(capsys, "--json"))["rows"] == []


def test_there_is_a_row_for_every_day_and_model_and_one_for_all(used: Used, capsys: pytest.CaptureFixture[str]) -> None:
    used(replace(EXCHANGE, at=days_ago(1)), EXCHANGE, EXCHANGE, replace(EXCHANGE, provider="other", model=""))
    lines = printed(capsys).splitlines()
    today, yesterday = days_ago(0)[:10], days_ago(1)[:10]
    assert [line.split()[:3] for line in lines[3:7]] == [
        [yesterday, "mine/m", "1"],
        [today, "mine/m", "2"],
        [today, "other", "1"],
        ["all", "4", "4,000"],
    ]
    assert lines[4].split()[3:] == ["2,000", "1,200", "400", "0.25", "/", "0.25", "1.50", "0", "$1.0000"]


@pytest.mark.parametrize(
    ("by", "keys"), [("model", {"mine/m", "other/n"}), ("provider", {"mine", "other"}), ("day", {days_ago(0)[:10]})]
)
def test_rows_can_be_grouped_otherwise(by: str, keys: set[str], used: Used, capsys: pytest.CaptureFixture[str]) -> None:
    used(EXCHANGE, replace(EXCHANGE, provider="other", model="n"))
    assert {row[by] for row in rows(capsys, "--by", by)} == keys


def test_only_the_last_days_count(used: Used, capsys: pytest.CaptureFixture[str]) -> None:
    used(replace(EXCHANGE, at=days_ago(2)), EXCHANGE)
    assert len(rows(capsys, "--days", "2")) == 1
    assert len(rows(capsys, "--days", "3")) == 2


def test_the_first_day_begins_at_midnight() -> None:
    assert first_day(datetime(2026, 11, 22, 15, 5, tzinfo=KOREA), 2) == datetime(2026, 11, 21, tzinfo=KOREA)


def test_what_is_unknown_is_shown_as_unknown_and_never_as_nothing(
    used: Used, capsys: pytest.CaptureFixture[str]
) -> None:
    used(UNKNOWN)
    line = printed(capsys).splitlines()[3]
    assert line.count("unknown") == 4
    assert line.split()[-2] == "1"
    assert rows(capsys)[0]["cost"] is None


def test_a_sum_without_some_is_marked_and_the_mark_is_explained(used: Used, capsys: pytest.CaptureFixture[str]) -> None:
    used(EXCHANGE, UNKNOWN)
    said = printed(capsys)
    assert "1,000+" in said
    assert "$0.5000+" in said
    assert (
        "+: at least this much. The servers did not report the tokens of 1 exchanges. The cost of 1 is not known."
        in said
    )


def test_what_was_counted_in_part_is_the_least_that_it_can_be(used: Used, capsys: pytest.CaptureFixture[str]) -> None:
    cut = replace(EXCHANGE, output=None, total=1000, partial=True, cost=0.25, outcome="cancelled")
    used(replace(cut, model="cut"), replace(EXCHANGE, model="whole"))
    said = printed(capsys)
    lines = {line.split()[1]: line.split()[3:6] + line.split()[-1:] for line in said.splitlines()[3:5]}
    assert lines == {
        "mine/cut": ["1,000+", "600+", "unknown", "$0.2500+"],
        "mine/whole": ["1,000", "600", "200", "$0.5000"],
    }
    assert "+: at least this much. 1 exchanges are counted only in part" in said
    assert "The cost of 1 is computed from the counted tokens only" in said
    (row, _) = rows(capsys)
    assert (row["uncounted"], row["partial"], row["unpriced"], row["partly_priced"]) == (0, 1, 0, 1)


def test_what_costs_nothing_costs_nothing_however_much_of_it_was_counted(
    used: Used, capsys: pytest.CaptureFixture[str]
) -> None:
    used(replace(EXCHANGE, partial=True, cost=0.0))
    assert printed(capsys).splitlines()[3].split()[-1] == "$0"


INTERRUPTED = replace(UNKNOWN, outcome="interrupted", first_token_ms=None, total_ms=0.0)


def test_an_exchange_of_whose_end_nothing_is_known_is_shown_and_is_no_failure(
    used: Used, capsys: pytest.CaptureFixture[str]
) -> None:
    used(EXCHANGE, INTERRUPTED)
    said = printed(capsys)
    assert said.splitlines()[3].split()[2] == "2"
    assert "The end of 1 exchanges is unknown" in said
    (row,) = rows(capsys)
    assert (row["exchanges"], row["interrupted"], row["failures"], row["requests"]) == (2, 1, 0, 2)
    assert (row["first_token_p50_ms"], row["total_p50_ms"]) == (250.0, 1500.0)


def test_a_chart_does_not_look_at_times_of_what_was_interrupted(tmp_path: Path) -> None:
    at = days_ago(0)
    slow = replace(EXCHANGE, at=at, first_token_ms=90_000.0)
    eighty_seconds = "<!-- 80 -->"
    assert eighty_seconds in chart_text(tmp_path / "a.svg", "en", [replace(EXCHANGE, at=at), slow])
    cut = replace(slow, outcome="interrupted", partial=True)
    said = chart_text(tmp_path / "b.svg", "en", [replace(EXCHANGE, at=at), cut])
    assert "1 exchanges were not counted" in said
    assert eighty_seconds not in said


@pytest.mark.parametrize(("cost", "shown"), [(0.0, "$0"), (0.00001, "<$0.0001"), (12.34567, "$12.3457")])
def test_costs_are_shown_in_dollars(cost: float, shown: str, used: Used, capsys: pytest.CaptureFixture[str]) -> None:
    used(replace(EXCHANGE, cost=cost))
    assert printed(capsys).splitlines()[3].split()[-1] == shown


def test_korean_columns_stand_below_each_other(
    used: Used, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    used(EXCHANGE, replace(EXCHANGE, provider="내 서버", model="한국어-모델"))
    lines = printed(capsys).splitlines()[2:6]
    assert "비용" in lines[0]
    assert {cells(line) for line in lines} == {cells(lines[0])}


@pytest.mark.parametrize("days", ["0", "many", "99999999"])
def test_a_number_of_days_that_is_none_is_refused(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["usage", "--days", days])
    assert caught.value.code == 2
    assert "--days" in capsys.readouterr().err


# The chart


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PDF", b"%PDF")])
def test_a_chart_is_drawn_as_its_ending_says(
    ending: str, begins: bytes, used: Used, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    used(replace(EXCHANGE, at=days_ago(3)), EXCHANGE, UNKNOWN, replace(UNKNOWN, model="n", first_token_ms=None))
    path = tmp_path / f"chart.{ending}"
    assert main(["usage", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(begins)
    assert str(path) in capsys.readouterr().err


def test_a_format_that_cannot_be_drawn_is_refused_with_those_that_can(
    used: Used, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    used(EXCHANGE)
    assert main(["usage", "--plot", str(tmp_path / "chart.xls")]) == 1
    assert ".png, .svg, .pdf" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named(used: Used, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    used(EXCHANGE)
    path = tmp_path / "nowhere" / "chart.png"
    assert main(["usage", "--plot", str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def chart_text(path: Path, language: str, exchanges: list[Exchange]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(exchanges, path, load_texts(language), last=SystemClock().now().date())
    return path.read_text(encoding="utf-8")


def test_without_a_korean_font_the_labels_are_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dejavu = [each for each in fontManager.ttflist if each.name == "DejaVu Sans"]
    monkeypatch.setattr(fontManager, "ttflist", dejavu)
    said = chart_text(tmp_path / "a.svg", "ko", [replace(EXCHANGE, at=days_ago(0))])
    assert "Tokens a day" in said


def test_models_beyond_the_colours_are_drawn_together(tmp_path: Path) -> None:
    exchanges = [replace(EXCHANGE, model=f"m{number}", total=100 - number, at=days_ago(0)) for number in range(12)]
    said = chart_text(tmp_path / "a.svg", "en", exchanges)
    assert "mine/m5" in said
    assert "mine/m6" not in said
    assert "others" in said


def test_matplotlib_is_loaded_for_a_chart_only() -> None:
    modules = "assistant.app.commands.records.usage, assistant.app.cli.usage_plot"
    program = f"import sys; import {modules}; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
