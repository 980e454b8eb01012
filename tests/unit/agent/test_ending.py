import pytest

from assistant.agent.ending import message_of, reason_of
from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Language
from assistant.core.texts import Texts


@pytest.mark.parametrize(("language", "name"), [("ko", "소리 자체 모델"), ("en", "Sori's own model")])
def test_soris_own_server_is_named_as_users_know_it(
    all_texts: dict[Language, Texts], language: Language, name: str
) -> None:
    texts = all_texts[language]
    error = ProviderError(ErrorCode.OVERLOADED, "busy", provider="embedded")
    for words in (message_of(error, texts), reason_of(error, texts)):
        assert name in words
        assert "embedded" not in words
    theirs = ProviderError(ErrorCode.OVERLOADED, "busy", provider="mine")
    assert "mine" in message_of(theirs, texts)
