"""Letters of scanned pages, recognised by the real program, and what is said where it is missing or unwanted."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from assistant.core.settings import FilesSettings
from assistant.knowledge.reading import ocr
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.reading.ocr import LANGUAGES, Ocr, chosen_ocr, installed_ocr
from assistant.knowledge.reading.reader import UnreadableFileError
from tests.fakes import documents

SCAN = Path("tests/data/scans/warranty.jpg")
"""A page with noise, a little turned: one line in Korean, one in English."""


def _saved(page: Image.Image, form: str) -> bytes:
    file = io.BytesIO()
    page.save(file, form, resolution=150)
    return file.getvalue()


FORMS = {
    "사진.jpg": SCAN.read_bytes(),
    "scan.pdf": _saved(Image.open(SCAN), "PDF"),
    "모음.zip": documents.zipped({"a.jpg": SCAN.read_bytes()}),
}
BLANK = Image.new("L", (60, 60), 255)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader() -> AsyncIterator[DocumentReader]:
    one = DocumentReader(ocr=installed_ocr)
    yield one
    await one.close()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", FORMS)
async def test_letters_of_a_scanned_page_are_read(reader: DocumentReader, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FORMS[name])
    shares: list[float] = []
    text = await reader.read(path, name, shares.append)
    assert "보증 기간은 24개월이다." in text.text
    assert "The meeting is on 28 March." in text.text
    if path.suffix != ".zip":
        assert text.notes == ("recognised",)
    if path.suffix == ".pdf":
        assert text.pages == text.blocks[0].page == 1
        assert len(shares) > 2, "the progress of pages is told"


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("name", "content"), [("blank.png", _saved(BLANK, "PNG")), ("blank.pdf", _saved(BLANK, "PDF"))]
)
async def test_a_picture_without_letters_says_so(
    reader: DocumentReader, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match="no_letters"):
        await reader.read(path, name)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_typed_text_is_no_recognised_one(reader: DocumentReader, tmp_path: Path) -> None:
    path = tmp_path / "typed.pdf"
    path.write_bytes(documents.pdf("Sales rose by 37 percent."))
    assert (await reader.read(path, path.name)).notes == ()


def _folder(place: Path, *languages: str) -> Path:
    place.mkdir(parents=True)
    for each in languages:
        (place / f"{each}.traineddata").write_bytes(b"\0")
    return place


@pytest.mark.parametrize("below", ["", "tessdata", "5/tessdata", "4.00/tessdata"])
def test_the_data_is_found_where_systems_put_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, below: str) -> None:
    monkeypatch.setattr(ocr, "_FOLDERS", (str(tmp_path / "share"),))
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    folder = _folder(tmp_path / "share" / below, *LANGUAGES)
    assert installed_ocr() == Ocr(data=str(folder))
    assert chosen_ocr(FilesSettings(ocr=False)) is None
    assert chosen_ocr(FilesSettings()) == Ocr(data=str(folder))


@pytest.mark.parametrize("languages", [(), ("eng",), ("kor",)])
def test_recognition_is_off_without_the_data_of_both_languages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, languages: tuple[str, ...]
) -> None:
    monkeypatch.setattr(ocr, "_FOLDERS", (str(tmp_path / "share"),))
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    _folder(tmp_path / "share", *languages)
    assert chosen_ocr(FilesSettings()) is None


def test_the_folder_that_the_user_names_counts_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ocr, "_FOLDERS", (str(_folder(tmp_path / "share", *LANGUAGES)),))
    own = _folder(tmp_path / "own", *LANGUAGES)
    monkeypatch.setenv("TESSDATA_PREFIX", str(own))
    assert installed_ocr() == Ocr(data=str(own))
