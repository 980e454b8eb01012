"""The settings of a Sori that asks a scripted model server."""

from assistant.core.settings import Language


def scripted_settings(base_url: str, more: str = "", *, language: Language = "ko", kind: str = "openai") -> str:
    """The text of ``config.toml``.

    Args:
        base_url: the address of the server.
        more: further lines: of the provider, and then of other tables.
        language: language of the interface.
        kind: kind of the provider.
    """
    return f"""
language = "{language}"
[llm]
provider = "mine"
model = "scripted-model"
[[providers]]
name = "mine"
kind = "{kind}"
base_url = "{base_url}"
{more}
"""
