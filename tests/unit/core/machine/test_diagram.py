"""The documents draw the machine that the code runs."""

from pathlib import Path

from assistant.core.machine.diagram import document

PAGE = Path(__file__).parents[4] / "docs" / "state-machine.md"


def test_the_page_is_what_the_table_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == document(), "run python -m assistant.app.cli.state_machine_page"


def test_the_page_draws_barge_in() -> None:
    assert "speaking --> listening: OverlapConfirmed [in session]" in document()
