import pytest

from assistant.llm.attachments.file_types import UNKNOWN, file_type, plain_type, true_type, type_by_bytes
from tests.fakes.pictures import HEIC, MP3, PDF, WAV, drawn, encoded


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (encoded(drawn()), "image/png"),
        (encoded(drawn(), "JPEG"), "image/jpeg"),
        (encoded(drawn(), "GIF"), "image/gif"),
        (encoded(drawn(), "WEBP"), "image/webp"),
        (encoded(drawn(), "BMP"), "image/bmp"),
        (encoded(drawn(), "TIFF"), "image/tiff"),
        (encoded(drawn(), "AVIF"), "image/avif"),
        (HEIC, "image/heic"),
        (PDF, "application/pdf"),
        (b"junk\n" + PDF, "application/pdf"),
        (WAV, "audio/wav"),
        (MP3, "audio/mpeg"),
        (b"\xff\xfb\x90\x00" + bytes(8), "audio/mpeg"),
        (b"\0\0\0\x18ftypisom" + bytes(8), "video/mp4"),
        (b"hello", ""),
        (b"BMW, a test drive", ""),
        ("\ufeff한글".encode("utf-16-le"), ""),
        (b"", ""),
    ],
)
def test_a_file_is_known_by_its_bytes(data: bytes, kind: str) -> None:
    assert type_by_bytes(data) == kind


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (encoded(drawn()), "photo.jpg", "image/png"),
        (b"a,b\n1,2\n", "table.csv", "text/csv"),
        ("안녕하세요".encode(), "note", "text/plain"),
        ("\ufeff안녕하세요".encode("utf-16-le"), "note.txt", "text/plain"),
        (b"BMW, a test drive", "drive.md", "text/markdown"),
        (b"\x80\x81", "thing", UNKNOWN),
        (b"a\0b", "thing", UNKNOWN),
    ],
)
def test_bytes_count_more_than_the_name_and_the_name_more_than_nothing(data: bytes, name: str, kind: str) -> None:
    assert file_type(data, name) == kind


def test_media_types_are_named_in_one_way() -> None:
    assert plain_type("Image/JPG; charset=binary") == "image/jpeg"
    assert plain_type("audio/x-wav") == "audio/wav"
    assert plain_type("") == UNKNOWN


def test_a_declared_type_is_held_against_the_bytes() -> None:
    assert true_type(encoded(drawn(), "JPEG"), "image/png") == "image/jpeg"
    assert true_type(PDF, UNKNOWN) == "application/pdf"
    assert true_type(b"no document", "application/pdf") == ""
    assert true_type(b"no sound", "audio/x-wav") == ""
    assert true_type(b"BM is how this text begins", "text/plain") == "text/plain"
    assert true_type(b"PK\x03\x04", "application/zip") == "application/zip"
    assert true_type(b"\x89PN", "image/png") == "image/png"  # whoever decodes it says that it is broken
