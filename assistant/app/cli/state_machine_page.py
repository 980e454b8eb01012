"""Writes ``docs/state-machine.md`` from the interaction table: ``python -m assistant.app.cli.state_machine_page``."""

from pathlib import Path

from assistant.core.machine.diagram import document

PAGE = Path(__file__).parents[3] / "docs" / "state-machine.md"


def main() -> None:
    """Write the page."""
    PAGE.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
