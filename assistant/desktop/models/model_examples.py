"""What to write into ``config.toml`` for a server of one's own; a test holds it against the settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Lines for one kind.

    Attributes:
        kind: names its texts.
        lines: for ``config.toml``.
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
"""What has no key and no weights of Sori's."""
