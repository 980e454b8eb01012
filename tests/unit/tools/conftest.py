import tomllib
from pathlib import Path

import pytest

from assistant.core.texts import Texts, flatten

TRANSLATIONS = Path(__file__).parents[3] / "assistant" / "resources" / "translations"


@pytest.fixture
def texts() -> Texts:
    catalogue: dict[str, str] = {}
    for area in ("chat", "error", "tool_reason"):
        catalogue |= flatten(tomllib.loads((TRANSLATIONS / "en" / f"{area}.toml").read_text(encoding="utf-8")))
    return Texts("en", catalogue)
