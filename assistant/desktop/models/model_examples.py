"""Example lines of ``config.toml`` for the user's own server; a test checks them against the settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Example lines for one kind of provider.

    Attributes:
        kind: the kind; part of the keys of its texts.
        lines: lines for ``config.toml``.
    """

    kind: str
    lines: str


EXAMPLES = (
    Example(
        kind="local",
        lines="""\
[llm]
provider = "ollama"
model = "qwen3:8b"

[[providers]]
name = "ollama"
kind = "local"
base_url = "http://127.0.0.1:11434/v1"
""",
    ),
)
"""Examples for kinds that need neither a key nor weights from Sori."""
