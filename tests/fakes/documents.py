"""Tiny documents as office programs write them, made by hand: no file of others is in the repository."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from xml.sax.saxutils import escape

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "application/vnd.openxmlformats-officedocument"


def zipped(parts: Mapping[str, str | bytes], *, stored_first: bool = False) -> bytes:
    """A ZIP file of these parts; the first one uncompressed where a format wants its type there."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, part) in enumerate(parts.items()):
            archive.writestr(name, part, zipfile.ZIP_STORED if stored_first and not number else zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _package(main: str, kind: str, parts: Mapping[str, str]) -> bytes:
    types = f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
    types += 'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    types += '<Default Extension="xml" ContentType="application/xml"/>'
    types += f'<Override PartName="/{main}" ContentType="{_OFFICE}.{kind}+xml"/></Types>'
    return zipped(
        {"[Content_Types].xml": types, "_rels/.rels": _relations({"rId1": ("officeDocument", main)}), **parts}
    )


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    each = (f'<Relationship Id="{name}" Type="{_R}/{kind}" Target="{to}"/>' for name, (kind, to) in targets.items())
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(each)}</Relationships>'


def docx(*paragraphs: str) -> bytes:
    """A text document."""
    body = "".join(f"<w:p><w:r><w:t>{escape(each)}</w:t></w:r></w:p>" for each in paragraphs)
    document = f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
    return _package("word/document.xml", "wordprocessingml.document.main", {"word/document.xml": document})


def pptx(*slides: str) -> bytes:
    """Slides with a text each."""
    names = [f"slides/slide{number}.xml" for number in range(1, len(slides) + 1)]
    ids = "".join(f'<p:sldId id="{256 + number}" r:id="rId{number}"/>' for number in range(1, len(slides) + 1))
    show = f'<p:presentation xmlns:p="{_P}" xmlns:r="{_R}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
    parts = {
        "ppt/presentation.xml": show,
        "ppt/_rels/presentation.xml.rels": _relations(
            {f"rId{number}": ("slide", name) for number, name in enumerate(names, 1)}
        ),
    }
    for name, text in zip(names, slides, strict=True):
        shape = f"<p:sp><p:nvSpPr><p:cNvPr id='2' name='a'/></p:nvSpPr><p:txBody><a:p><a:r><a:t>{escape(text)}</a:t>"
        shape += "</a:r></a:p></p:txBody></p:sp>"
        parts[f"ppt/{name}"] = (
            f'<p:sld xmlns:p="{_P}" xmlns:a="{_A}"><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:sld>'
        )
    return _package("ppt/presentation.xml", "presentationml.presentation.main", parts)


def xlsx(*rows: tuple[str, ...]) -> bytes:
    """A sheet."""
    cells = (
        "".join(
            f'<c r="{chr(65 + at)}{number}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
            for at, text in enumerate(row)
        )
        for number, row in enumerate(rows, 1)
    )
    data = "".join(f'<row r="{number}">{each}</row>' for number, each in enumerate(cells, 1))
    sheets = '<sheets><sheet name="표" sheetId="1" r:id="rId1"/></sheets>'
    book = f'<workbook xmlns="{_S}" xmlns:r="{_R}">{sheets}</workbook>'
    parts = {
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": _relations({"rId1": ("worksheet", "worksheets/sheet1.xml")}),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_S}"><sheetData>{data}</sheetData></worksheet>',
    }
    return _package("xl/workbook.xml", "spreadsheetml.sheet.main", parts)


def odt(*paragraphs: str) -> bytes:
    """An OpenDocument text."""
    office, text = (f"urn:oasis:names:tc:opendocument:xmlns:{each}:1.0" for each in ("office", "text"))
    body = "".join(f"<text:p>{escape(each)}</text:p>" for each in paragraphs)
    content = f'<office:document-content xmlns:office="{office}" xmlns:text="{text}"><office:body><office:text>{body}'
    content += "</office:text></office:body></office:document-content>"
    kind = "application/vnd.oasis.opendocument.text"
    return zipped({"mimetype": kind, "content.xml": content}, stored_first=True)


def epub(title: str, chapter: str) -> bytes:
    """A book with one chapter."""
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    container += '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    book = '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
    book += f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></metadata><manifest>'
    book += '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
    book += '<spine><itemref idref="c"/></spine></package>'
    page = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>{escape(chapter)}</p></body></html>'
    )
    return zipped(
        {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "book.opf": book, "c.xhtml": page},
        stored_first=True,
    )


def hwpx(*paragraphs: str) -> bytes:
    """A document of Hancom Office 2010 and later."""
    return hwpx_of("".join(f"<hp:p><hp:run><hp:t>{escape(each)}</hp:t></hp:run></hp:p>" for each in paragraphs))


def hwpx_of(*bodies: str, header: str = "") -> bytes:
    """A document of Hancom Office from the XML of its sections and of its header."""
    space = "http://www.hancom.co.kr/hwpml/2011"
    spaces = f'xmlns:hs="{space}/section" xmlns:hp="{space}/paragraph" xmlns:hh="{space}/head"'
    package = '<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:manifest><opf:item id="section0" '
    package += 'href="Contents/section0.xml" media-type="application/xml"/></opf:manifest><opf:spine>'
    package += '<opf:itemref idref="section0"/></opf:spine></opf:package>'
    parts = {"mimetype": "application/hwp+zip", "Contents/content.hpf": package}
    if header:
        parts["Contents/header.xml"] = f"<hh:head {spaces}>{header}</hh:head>"
    parts |= {f"Contents/section{at}.xml": f"<hs:sec {spaces}>{body}</hs:sec>" for at, body in enumerate(bodies)}
    return zipped(parts, stored_first=True)


def pdf(*pages: str, encrypted: bool = False) -> bytes:
    """Pages with a line each; an empty line is a page without text, as a scanned one. Letters of Latin-1 only."""
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(pages)))
    font = 3 + 2 * len(pages)
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    for number, line in enumerate(pages):
        drawn = f"BT /F1 24 Tf 72 720 Td ({line}) Tj ET" if line else ""
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 {font} 0 R >> >> /Contents {4 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    lock = ""
    if encrypted:
        letters = "41" * 32
        objects.append(f"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -44 /O <{letters}> /U <{letters}> >>")
        lock = f" /Encrypt {len(objects)} 0 R /ID [<{'42' * 16}> <{'42' * 16}>]"
    text, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    text += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end = text.index("xref")
    text += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R{lock} >>\nstartxref\n{end}\n%%EOF\n"
    return text.encode("latin-1")


_FREE, _END, _FAT = 0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFD
_SECTOR, _MINI = 512, 64


def hwp(*paragraphs: str, properties: int = 1) -> bytes:
    """A document of the Hangul word processor, format 5.0: a compound file with a header and one section.

    Args:
        paragraphs: the texts.
        properties: the bits of the header: 1 compressed, 2 a password, 4 for distribution.
    """
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x0500_0300, properties)
    records = b"".join(_paragraph(each) for each in paragraphs)
    packer = zlib.compressobj(wbits=-15)
    section = packer.compress(records) + packer.flush()
    counts = struct.pack("<7H", 1, 1, 1, 1, 1, 1, 1) + struct.pack("<3I", 0, 0, 0)
    packer = zlib.compressobj(wbits=-15)
    information = packer.compress(_record(16, 0, counts)) + packer.flush()
    return compound({"FileHeader": header.ljust(256, b"\0"), "DocInfo": information, "BodyText/Section0": section})


def _paragraph(text: str) -> bytes:
    letters = (text + "\r").encode("utf-16-le")
    head = struct.pack("<IIHBBHHHI", len(letters) // 2, 0, 0, 0, 0, 1, 0, 1, 0)
    return _record(66, 0, head) + _record(67, 1, letters)


def _record(tag: int, level: int, data: bytes) -> bytes:
    """A record of HWP 5.0, section 4.1."""
    if len(data) < 0xFFF:  # the largest size that the head holds
        return struct.pack("<I", tag | level << 10 | len(data) << 20) + data
    return struct.pack("<II", tag | level << 10 | 0xFFF << 20, len(data)) + data


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file ([MS-CFB]) of small streams; a name may stand in one storage, ``Storage/Stream``."""
    storages = sorted({name.split("/")[0] for name in streams if "/" in name})
    mini, chain, places = b"", [], {}
    for name, data in streams.items():
        places[name] = len(mini) // _MINI
        count = max(-(-len(data) // _MINI), 1)
        chain += [*range(places[name] + 1, places[name] + count), _END]
        mini += data.ljust(count * _MINI, b"\0")
    names = ["Root Entry", *storages, *streams]
    inside = {storage: [name for name in streams if name.startswith(f"{storage}/")] for storage in storages}
    # Siblings stand in the order of the format: shorter names first.
    top = sorted((name for name in names[1:] if "/" not in name), key=lambda name: (len(name), name.upper()))
    entries = []
    for name in names:
        siblings = top if "/" not in name else inside[name.split("/")[0]]
        at = siblings.index(name) if name in siblings else -1
        right = names.index(siblings[at + 1]) if 0 <= at < len(siblings) - 1 else _FREE
        children = top if name == "Root Entry" else inside.get(name, [])
        child = names.index(children[0]) if children else _FREE
        kind, start, size = 2, places.get(name, 0), len(streams.get(name, b""))
        if name == "Root Entry":
            kind, start, size = 5, 1, len(mini)  # behind the table of sectors
        elif name in storages:
            kind, start, size = 1, 0, 0
        entries.append(_entry(name.rsplit("/", 1)[-1], kind, right, child, start, size))
    return _sectors(mini, struct.pack(f"<{len(chain)}I", *chain), b"".join(entries))


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    letters = (name + "\0").encode("utf-16-le")
    head = letters.ljust(64, b"\0") + struct.pack("<HBBIII", len(letters), kind, 1, _FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def _sectors(mini: bytes, mini_table: bytes, directory: bytes) -> bytes:
    """The file of three chains, behind its header and its table of sectors."""
    table: list[int] = [_FAT]
    starts, body = [], b""
    for part, filler in ((mini, b"\0"), (mini_table, b"\xff"), (directory, b"\0")):
        starts.append(len(table))
        count = -(-len(part) // _SECTOR)
        table += [*range(len(table) + 1, len(table) + count), _END]
        body += part.ljust(count * _SECTOR, filler)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    count = -(-len(mini_table) // _SECTOR)
    header += struct.pack("<IIIIIIIIII", 0, 1, starts[2], 0, 4096, starts[1], count, _END, 0, 0)
    header += struct.pack("<I", _FREE) * 108
    return header + struct.pack(f"<{len(table)}I", *table).ljust(_SECTOR, b"\xff") + body
