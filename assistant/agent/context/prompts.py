"""The packaged system prompts."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """Base prompts in the user's language.

    Attributes:
        system: for models that are neither small nor the placeholder.
        small: for small models: who Sori is, then how tools are called, with an example of each.
        placeholder: short prompt for the placeholder, the model that ships with Sori. It reads slowly and has a short
            context.
        summary: for a model that summarises the beginning of a conversation.
    """

    system: str
    small: str
    placeholder: str
    summary: str


def load_prompts(folder: Path, language: str) -> Prompts:
    """The prompts of one language from ``<name>.<language>.md`` and ``placeholder.md``."""
    return Prompts(
        system=(folder / f"system.{language}.md").read_text(encoding="utf-8"),
        small=(folder / f"small.{language}.md").read_text(encoding="utf-8"),
        placeholder=(folder / "placeholder.md").read_text(encoding="utf-8"),
        summary=(folder / f"summary.{language}.md").read_text(encoding="utf-8"),
    )
