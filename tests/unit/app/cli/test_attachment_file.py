from pathlib import Path

import pytest

from assistant.app.cli import attachment_file
from assistant.app.cli.attachment_file import read_attachment
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.messages import Attachment
from tests.fakes.pictures import PDF, drawn, encoded


def problem_of(path: Path, *, image: bool = False) -> str:
    with pytest.raises(SoriError) as raised:
        read_attachment(path, image=image)
    assert raised.value.code is ErrorCode.INVALID_REQUEST
    assert raised.value.values["path"] == str(path)
    return raised.value.message_key


def test_a_file_comes_with_its_name_and_the_type_that_its_bytes_show(tmp_path: Path) -> None:
    (path := tmp_path / "photo.jpg").write_bytes(encoded(drawn()))
    assert read_attachment(path, image=True) == Attachment(
        mime_type="image/png", name="photo.jpg", data=encoded(drawn())
    )
    (path := tmp_path / "report").write_bytes(PDF)
    assert read_attachment(path).mime_type == "application/pdf"


def test_each_way_in_which_a_file_cannot_be_used_has_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem_of(tmp_path / "absent") == "error.attachment_missing"
    assert problem_of(tmp_path) == "error.attachment_folder"
    (path := tmp_path / "file").write_bytes(b"")
    assert problem_of(path) == "error.attachment_empty"
    path.write_bytes(PDF)
    assert problem_of(path, image=True) == "error.attachment_not_image"
    monkeypatch.setattr(attachment_file, "MAX_FILE_BYTES", 10)
    assert problem_of(path) == "error.attachment_too_large"
