import pytest

from assistant.core.errors import (
    AudioDeviceError,
    EngineError,
    ErrorCode,
    ModelFileError,
    ProviderError,
    SoriError,
    StorageError,
)


@pytest.mark.parametrize(
    ("error", "place"),
    [
        (ProviderError(ErrorCode.NETWORK, "why", provider="here"), "here"),
        (ModelFileError("why", model="here"), "here"),
        (EngineError("here", "why"), "here"),
        (AudioDeviceError("here", "why"), "here"),
        (StorageError("here", "why"), "here"),
    ],
)
def test_an_error_in_the_log_names_its_place(error: SoriError, place: str) -> None:
    assert str(error).endswith(f"{place}: why")
    assert error.values["detail"] == "why"
