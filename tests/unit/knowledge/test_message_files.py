"""Documents in messages are read once, and models are sent their text at the point of their message."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.agent.context.model_form import document_texts, encoded_files, to_model
from assistant.core.documents import TurnDocuments
from assistant.core.knowledge.texts import ExtractedText
from assistant.core.messages import Attachment, Message, Role
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.knowledge.message_files import MessageDocuments
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.reading.reader import UnreadableFileError, tell_nobody
from assistant.knowledge.store import FileStore
from tests.fakes import documents
from tests.fakes.pictures import drawn, encoded

KO, EN = "매출은 37억 원입니다.", "Sales rose by 37 percent."


class CountingReader(DocumentReader):
    """The reader, which also counts."""

    count = 0

    async def read(self, path: Path, name: str, progress: Callable[[float], None] = tell_nobody) -> ExtractedText:
        """Read a file."""
        self.count += 1
        return await super().read(path, name, progress)


@pytest.mark.parametrize(
    ("name", "kind", "data", "text"),
    [
        ("보고서.hwp", "application/x-hwp", documents.hwp(KO), KO),
        ("보고서.hwpx", "application/octet-stream", documents.hwpx(KO), KO),
        ("report.pdf", "application/pdf", documents.pdf(EN), EN),
        ("report.docx", "application/zip", documents.docx(EN), EN),
        ("slides.pptx", "application/octet-stream", documents.pptx(KO), KO),
        ("book.epub", "application/epub+zip", documents.epub("책", KO), KO),
        ("mail.eml", "message/rfc822", f"Subject: x\nFrom: a@b\n\n{EN}".encode(), EN),
        ("all.zip", "application/zip", documents.zipped({"a.txt": KO}), KO),
        ("메모.txt", "text/plain", KO.encode("cp949"), KO),
        ("program.py", "text/x-python", b"print(37)", "print(37)"),
    ],
)
async def test_a_document_becomes_numbered_json_above_the_words_it_came_with(
    all_texts: dict[Language, Texts], tmp_path: Path, name: str, kind: str, data: bytes, text: str
) -> None:
    files = (
        Attachment(mime_type=kind, name=name, data=data),
        Attachment(mime_type="image/png", name="a.png", data=encoded(drawn())),
    )
    message = Message(role=Role.USER, text="요약해 줘", id="m", attachments=files)
    texts = MessageDocuments(FileStore(tmp_path), DocumentReader())
    try:
        known = encoded_files([message], await document_texts([message], texts))
    finally:
        await texts.close()
    sent = to_model(message, all_texts["ko"], known, "", TurnDocuments())
    assert sent is not None
    told, words = sent.text.rsplit("\n\n", 1)
    (document,) = json.loads(told)["documents"]
    assert words == "요약해 줘"
    assert (document["document"], document["title"]) == (1, name)
    assert text in document["contents"]
    assert [each.name for each in sent.attachments] == ["a.png"]
    assert sent.documents == 1


async def test_a_scanned_pdf_stays_a_pdf_for_models_that_see_it(tmp_path: Path) -> None:
    scan = Attachment(mime_type="application/pdf", name="scan.pdf", data=documents.pdf("", ""))
    message = Message(role=Role.USER, text="?", id="m", attachments=(scan,))
    texts = MessageDocuments(FileStore(tmp_path), DocumentReader())
    known = encoded_files([message], await document_texts([message], texts))
    await texts.close()
    assert [(each.mime_type, each.is_text) for each in known["m"]] == [("application/pdf", False)]


async def test_a_file_is_read_once_and_told_how_far(tmp_path: Path) -> None:
    reader = CountingReader()
    texts = MessageDocuments(FileStore(tmp_path), reader)
    file = Attachment(mime_type="application/x-hwp", name="a.hwp", data=documents.hwp(KO))
    told: list[float] = []
    assert (await texts.read(file, told.append)).text == (await texts.read(file)).text
    assert reader.count == 1
    assert told == sorted(told)
    assert told[-1] == 1.0
    with pytest.raises(UnreadableFileError, match="encrypted"):
        await texts.read(Attachment(mime_type="", name="b.hwp", data=documents.hwp(KO, properties=3)))
    await texts.close()
