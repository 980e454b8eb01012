"""What to write into ``config.toml`` for each kind of provider; a test holds them against the settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Lines for one kind.

    Attributes:
        kind: names its texts.
        lines: for ``config.toml``.
        key_name: name under which its API key is kept; empty where it needs none.
    """

    kind: str
    lines: str
    key_name: str = ""


def _cloud(kind: str, model: str) -> Example:
    lines = f'[llm]\nprovider = "{kind}"\nmodel = "{model}"\n\n[[providers]]\nname = "{kind}"\nkind = "{kind}"\n'
    return Example(kind=kind, lines=lines, key_name=kind)


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
    _cloud("openai", "gpt-5-mini"),
    _cloud("anthropic", "claude-sonnet-4-5"),
    _cloud("google", "gemini-2.5-flash"),
    _cloud("zai", "glm-4.7"),
)
"""One for each kind, the private one first."""


def key_command(name: str) -> str:
    """The command that puts the API key of the provider ``name`` into the system's keyring."""
    return f"sori keys set {name}"
