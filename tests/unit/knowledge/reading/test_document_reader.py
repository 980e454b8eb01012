"""Files of every kind, in Korean and English, and files that are made to harm, read by the real process."""

import asyncio
import os
import signal
import unicodedata
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.core.knowledge.texts import BlockKind
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.reading.reader import UnreadableFileError
from tests.fakes import documents

KO, EN = "매출은 37억 원입니다.", "Sales rose by 37 percent."
MAIL = f"From: kim@example.com\nSubject: 보고\nContent-Type: text/plain; charset=utf-8\n\n{KO}\n"
PAGE = f"<style>x{{}}</style></head><body><p>{KO}</p></body></html>"
UTF8_PAGE = f'<html><head><meta charset="utf-8"><title>보고서</title>{PAGE}'.encode()
KOREAN_PAGE = f'<html><head><meta charset="euc-kr"><title>보고서</title>{PAGE}'.encode("cp949")
BOTH: dict[str, str | bytes] = {"보고서.hwp": documents.hwp(KO), "a/b.txt": EN}

READABLE = [
    ("plain.txt", KO.encode(), KO),
    ("plain.txt", EN.encode(), EN),
    ("with_mark.txt", KO.encode("utf-8-sig"), KO),
    ("notepad.txt", KO.encode("utf-16"), KO),
    ("old.txt", KO.encode("cp949"), KO),
    ("older.txt", KO.encode("euc-kr"), KO),
    ("mac.txt", unicodedata.normalize("NFD", KO).encode(), KO),
    ("windows.txt", b"one\r\ntwo\r\n", "one\ntwo\n"),
    ("BM.txt", b"BM stands for benchmark", "BM stands for benchmark"),
    ("note.md", f"# 제목\n\n{KO}".encode(), KO),
    ("program.py", "def 더하기():\n    return 37\n".encode(), "더하기"),
    ("data.json", b'{"sales": 37}', '{"sales": 37}'),
    ("table.csv", "항목,값\n매출,37억\n".encode("cp949"), "| 매출 | 37억 |"),
    ("page.html", UTF8_PAGE, KO),
    ("page.html", KOREAN_PAGE, KO),
    ("mail.eml", MAIL.encode(), KO),
    ("report.docx", documents.docx(KO, EN), KO),
    ("report.docx", documents.docx(KO, EN), EN),
    ("slides.pptx", documents.pptx(KO, EN), EN),
    ("sheet.xlsx", documents.xlsx(("항목", "값"), ("매출", "37억")), "| 매출 | 37억 |"),
    ("report.odt", documents.odt(KO), KO),
    ("book.epub", documents.epub("책", KO), KO),
    ("report.hwp", documents.hwp(KO, EN), KO),
    ("report.hwpx", documents.hwpx(KO, EN), EN),
    ("report.pdf", documents.pdf(EN), EN),
    # Names that lie about the kind.
    ("report.txt", documents.hwp(KO), KO),
    ("report", documents.hwpx(KO), KO),
    ("report.pdf", documents.docx(KO), KO),
    ("report.hwp", documents.hwpx(KO), KO),
    ("report.docx", documents.pdf(EN), EN),
    ("report.doc", UTF8_PAGE, KO),
    ("report.pdf", EN.encode(), EN),
    ("보고서.hwp", documents.hwp(KO), KO),
    (unicodedata.normalize("NFD", "보고서.hwp"), documents.hwp(KO), KO),
    ("all.zip", documents.zipped(BOTH), KO),
    ("all.zip", documents.zipped(BOTH), f"# a/b.txt\n\n{EN}"),
    ("nested.zip", documents.zipped({"in.zip": documents.zipped({"c.txt": KO})}), KO),
    ("up.zip", documents.zipped({"../../etc/passwd": EN}), f"# etc/passwd\n\n{EN}"),
]


def _wrapped(inner: bytes, levels: int) -> bytes:
    for _ in range(levels):
        inner = documents.zipped({"in.zip": inner})
    return inner


def _package(document: str | bytes) -> bytes:
    return documents.zipped({"[Content_Types].xml": "", "word/document.xml": document})


ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 11))
LAUGHS = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{ENTITIES}]><x>&a10;</x>'
LOCKED_ODT: dict[str, str | bytes] = {
    "mimetype": "application/vnd.oasis.opendocument.text",
    "META-INF/manifest.xml": "<x><encryption-data/></x>",
    "content.xml": b"\1\2",
}
UNREADABLE = [
    ("empty.txt", b"", "empty"),
    ("blank.txt", b" \n\n ", "no_text"),
    ("program.exe", b"MZ\0\1\2\3" + bytes(range(256)), "unknown_kind"),
    ("film.mp4", b"\0\0\0\x20ftypisom" + bytes(100), "unknown_kind"),
    ("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40), "picture"),
    ("locked.pdf", documents.pdf(EN, encrypted=True), "encrypted"),
    ("locked.hwp", documents.hwp(KO, properties=3), "encrypted"),
    ("distributed.hwp", documents.hwp(KO, properties=5), "encrypted"),
    ("locked.docx", documents.compound({"EncryptedPackage": bytes(80)}), "encrypted"),
    ("locked.odt", documents.zipped(LOCKED_ODT), "encrypted"),
    ("scan.pdf", documents.pdf("", ""), "scanned"),
    ("half.pdf", documents.pdf(EN)[:120], "broken"),
    ("half.docx", documents.docx(KO)[:-60], "broken"),
    ("half.hwp", documents.hwp(KO)[:700], "broken"),
    ("half.zip", documents.zipped({"a.txt": EN})[:-30], "broken"),
    ("bomb.docx", _package(bytes(40_000_000)), "bomb"),
    ("bomb.zip", documents.zipped({"a.txt": bytes(40_000_000)}), "bomb"),
    ("many.zip", documents.zipped({f"{n}.txt": "" for n in range(2100)}), "bomb"),
    ("deep.zip", _wrapped(EN.encode(), 8), "too_deep"),
    ("nothing.zip", documents.zipped({}), "no_text"),
    ("laughs.docx", _package(LAUGHS), None),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader() -> AsyncIterator[DocumentReader]:
    one = DocumentReader()
    yield one
    await one.close()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("name", "content", "wanted"), READABLE, ids=[row[0] for row in READABLE])
async def test_a_document_is_read(
    reader: DocumentReader, tmp_path: Path, name: str, content: bytes, wanted: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    text = await reader.read(path, name)
    assert wanted in text.text
    held = "".join(text.text[each.start : each.end] for each in text.blocks)
    assert "".join(held.split()) == "".join(text.text.split())
    assert path.read_bytes() == content


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("name", "content", "reason"), UNREADABLE, ids=[row[0] for row in UNREADABLE])
async def test_a_file_without_text_says_why(
    reader: DocumentReader, tmp_path: Path, name: str, content: bytes, reason: str | None
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError) as told:
        await reader.read(path, name)
    assert reason is None or told.value.reason == reason
    assert path.read_bytes() == content


@pytest.mark.asyncio(loop_scope="module")
async def test_pages_slides_and_headings_are_told(reader: DocumentReader, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(documents.pdf("one", "", "three"))
    pages = await reader.read(tmp_path / "a.pdf", "a.pdf")
    assert [each.page for each in pages.blocks] == [1, 3]
    assert (pages.pages, pages.notes) == (3, ("scanned_pages",))
    (tmp_path / "a.pptx").write_bytes(documents.pptx("하나", "둘"))
    slides = await reader.read(tmp_path / "a.pptx", "a.pptx")
    assert [(each.kind, each.page) for each in slides.blocks] == [(BlockKind.SLIDE, 1), (BlockKind.SLIDE, 2)]
    (tmp_path / "a.md").write_text("# 하나\n\n글\n\n## 둘\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", encoding="utf-8")
    marked = await reader.read(tmp_path / "a.md", "a.md")
    assert (marked.blocks[-1].kind, marked.blocks[-1].headings) == (BlockKind.TABLE, ("하나", "둘"))


@pytest.mark.asyncio(loop_scope="module")
async def test_a_part_of_an_archive_that_cannot_be_read_is_told(reader: DocumentReader, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(documents.zipped({"good.txt": KO, "bad.pdf": documents.pdf(EN)[:90]}))
    text = await reader.read(tmp_path / "a.zip", "a.zip")
    assert KO in text.text
    assert text.notes == ("parts_left_out",)


@pytest.mark.asyncio(loop_scope="module")
async def test_scans_in_an_archive_are_noted_so_that_they_are_read_when_letters_can_be_recognised(
    reader: DocumentReader, tmp_path: Path
) -> None:
    parts: dict[str, str | bytes] = {
        "mixed.pdf": documents.pdf(EN, ""),
        "scan.pdf": documents.pdf(""),
        "good.txt": KO,
    }
    for names, notes in (
        (("mixed.pdf", "good.txt"), ("scanned_pages",)),
        (("scan.pdf", "good.txt"), ("scanned_pages", "parts_left_out")),
        (("mixed.pdf", "scan.pdf"), ("scanned_pages", "parts_left_out")),
    ):
        (tmp_path / "a.zip").write_bytes(documents.zipped({name: parts[name] for name in names}))
        assert (await reader.read(tmp_path / "a.zip", "a.zip")).notes == notes


@pytest.mark.asyncio(loop_scope="module")
async def test_a_korean_name_from_windows_is_read_in_an_archive(reader: DocumentReader, tmp_path: Path) -> None:
    path, name = tmp_path / "a.zip", "보고서.txt".encode("cp949")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x" * len(name), EN)
    path.write_bytes(path.read_bytes().replace(b"x" * len(name), name))
    assert (await reader.read(path, "a.zip")).text.startswith("# 보고서.txt")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs and devices among its files.")
async def test_what_is_no_file_is_not_opened(reader: DocumentReader, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    reasons = {}
    for name in ("pipe", "device", "lost", "loop", ".", "nowhere.txt"):
        with pytest.raises(UnreadableFileError) as told:
            await reader.read(tmp_path / name, name)
        reasons[name] = told.value.reason
    assert reasons == {
        "pipe": "not_a_file",
        "device": "not_a_file",
        "lost": "gone",
        "loop": "not_readable",
        ".": "not_a_file",
        "nowhere.txt": "gone",
    }


@pytest.mark.asyncio(loop_scope="module")
async def test_a_link_to_a_file_is_followed(reader: DocumentReader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(EN)
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    assert (await reader.read(tmp_path / "link.txt", "link.txt")).text == EN


@pytest.mark.asyncio
async def test_a_reading_that_takes_too_long_is_ended_and_the_next_file_is_read(tmp_path: Path) -> None:
    reader = DocumentReader(longest_s=0.0)
    (tmp_path / "a.txt").write_text(EN)
    with pytest.raises(UnreadableFileError, match="too_slow"):
        await reader.read(tmp_path / "a.txt", "a.txt")
    reader._longest_s = 60.0
    assert (await reader.read(tmp_path / "a.txt", "a.txt")).text == EN
    await reader.close()


@pytest.mark.asyncio
async def test_a_process_that_is_killed_is_told_and_started_again(tmp_path: Path) -> None:
    reader = DocumentReader()
    (tmp_path / "a.txt").write_text(EN)
    await reader.read(tmp_path / "a.txt", "a.txt")
    process = reader._process
    assert process is not None
    # Stopped before it is killed: a process that ends before the request is replaced without an error.
    os.kill(process.pid, signal.SIGSTOP)
    reading = asyncio.create_task(reader.read(tmp_path / "a.txt", "a.txt"))
    while not reader._turn.locked():  # noqa: ASYNC110  from then on the request is written
        await asyncio.sleep(0.001)
    process.kill()
    with pytest.raises(UnreadableFileError, match=r"too_heavy|broken"):
        await reading
    assert (await reader.read(tmp_path / "a.txt", "a.txt")).text == EN
    await reader.close()
