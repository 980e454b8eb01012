"""Reads mail as a person does: sender, date, subject, text, names of attachments. Pure.

RFC 5322 and MIME by the standard library. What a program would run or what is hidden on the screen is left out.
"""

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import EmailMessage, MIMEPart

from assistant.core.formats.text_encoding import decoded

MAIL_TYPE = "message/rfc822"
MAILBOX_TYPE = "application/mbox"
_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_SEPARATOR = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\n]*\n(?=>?[\w-]+:)")
"""Begins each message of a mailbox (RFC 4155), so that its header follows. A sentence may begin with the word too."""
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STYLE = f"concat(translate(@style, '{_CAPITALS} ', '{_CAPITALS.lower()}'), ';')"
"""A style in small letters without spaces."""
_UNSEEN = "|".join(
    (
        "//head|//script|//style|//template|//noscript|//comment()|//*[@hidden]",
        *(
            f"//*[contains({_STYLE}, '{rule}')]"
            for rule in ("display:none", "visibility:hidden", "font-size:0;", "font-size:0px", "opacity:0;")
        ),
    )
)
_LINES = "//br|//p|//div|//tr|//li|//h1|//h2|//h3|//h4|//blockquote|//pre"
_READ_TYPES = ("text/plain", "text/html")
_LONGEST_SOURCE = 20_000
"""Characters that are read of a mail's source."""
_KOREAN_CHARSETS = frozenset({"euc-kr", "ks_c_5601-1987", "ks_c_5601", "ksc5601"})
"""Names under which mail programs write CP949, which has more syllables."""


def is_mail(media_type: str) -> bool:
    """Whether files of this type hold mail."""
    return media_type in (MAIL_TYPE, MAILBOX_TYPE)


def mail_text(data: bytes) -> str:
    """The readable text of a mail, or of each mail in a mailbox file."""
    is_mailbox = data.startswith(b"From ")
    mails = [part for part in (_SEPARATOR.split(data) if is_mailbox else [data]) if part.strip()]
    return "\n\n---\n\n".join(map(_as_far_as_it_goes, mails))


def _as_far_as_it_goes(data: bytes) -> str:
    """The text of a mail; its source if it is so damaged that the library fails."""
    try:
        return _one_mail(message_from_bytes(data, policy=policy.default))
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        found = decoded(data)
        return "" if found is None else found.text[:_LONGEST_SOURCE]


def _one_mail(mail: EmailMessage) -> str:
    headers = [f"{name}: {text}" for name in _SHOWN_HEADERS if (text := _header(mail, name))]
    texts = list(_texts(mail)) or [body for body in [mail.get_body(("plain", "html"))] if body is not None]
    files = [_attachment_line(part) for part in _own_parts(mail) if _is_file(part) and part not in texts]
    attached = "\n".join(["Attachments:", *files]) if files else ""
    nested = [f"--- {_one_mail(each)}" for each in _forwarded(mail)]
    read = (_body_text(part).strip() for part in texts)
    return "\n\n".join(part for part in ("\n".join(headers), *read, attached, *nested) if part)


def _header(mail: EmailMessage, name: str) -> str:
    raw = next((str(value) for key, value in mail.raw_items() if key.lower() == name.lower()), "")
    if not raw.isascii():  # written without encoding, by old programs
        return _plain(raw.encode("utf-8", "surrogateescape"), "")
    return " ".join(_decoded_words(raw).split())


def _decoded_words(text: str) -> str:
    """A header or a file name with its encoded words (RFC 2047) decoded; some programs put them into quotes."""
    if "=?" not in text:
        return text
    try:
        pieces = decode_header(text)
    except HeaderParseError:
        return text
    return "".join(_plain(piece, charset or "") if isinstance(piece, bytes) else piece for piece, charset in pieces)


def _plain(content: bytes, charset: str) -> str:
    """The text of bytes in the declared encoding, else in the one that fits."""
    declared = "cp949" if charset.lower() in _KOREAN_CHARSETS else charset
    try:
        return content.decode(declared or "ascii")
    except (LookupError, UnicodeDecodeError):
        found = decoded(content)
        return content.decode("utf-8", "replace") if found is None else found.text


def _body_text(part: MIMEPart) -> str:
    content = part.get_payload(decode=True)
    text = _plain(content, part.get_content_charset() or "") if isinstance(content, bytes) else ""
    return _text_of_html(text) if part.get_content_type() == "text/html" else text


def _text_of_html(page: str) -> str:
    from lxml import etree, html  # most mails have a plain text

    try:
        tree = html.document_fromstring(page.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # an empty page
        return ""
    for element in tree.xpath(_UNSEEN):
        element.drop_tree()
    for element in tree.xpath(_LINES):
        element.tail = f"\n{element.tail or ''}"
    for cell in tree.xpath("//td|//th"):
        cell.tail = f" {cell.tail or ''}"
    for link in tree.xpath("//a[starts-with(@href, 'http')]"):
        if link.get("href") not in (link.text_content() or ""):
            link.tail = f" ({link.get('href')}){link.tail or ''}"
    lines = (" ".join(line.split()) for line in str(tree.text_content()).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _texts(mail: MIMEPart) -> Iterator[MIMEPart]:
    """The texts that a mail program shows one below the other; of alternatives the plain one that says something."""
    if not mail.is_multipart():
        # A multipart without its boundary holds its text as it is.
        if (
            mail.get_content_type() in _READ_TYPES and not _is_file(mail)
        ) or mail.get_content_maintype() == "multipart":
            yield mail
    elif mail.get_content_subtype() == "alternative":
        ways = [list(_texts(part)) for part in mail.iter_parts()]
        written = [way for way in ways if any(_body_text(part).strip() for part in way)]
        yield from min(written, key=lambda way: way[0].get_content_type() != "text/plain", default=())
    elif mail.get_content_type() != MAIL_TYPE:
        for part in mail.iter_parts():
            yield from _texts(part)


def _is_file(part: MIMEPart) -> bool:
    """Whether a mail program shows this part as a file."""
    if part.is_multipart() or part.get_content_maintype() == "multipart":
        return False
    return bool(part.is_attachment() or part.get_filename() or part.get_content_type() not in _READ_TYPES)


def _forwarded(mail: EmailMessage) -> Iterator[EmailMessage]:
    for part in _own_parts(mail):
        if part.get_content_type() == MAIL_TYPE:
            for each in part.iter_parts():
                if isinstance(each, EmailMessage):
                    yield _decoded_mail(each, str(part.get("Content-Transfer-Encoding", "")))


def _decoded_mail(mail: EmailMessage, encoding: str) -> EmailMessage:
    """A mail within a mail, which some programs encode as a whole against RFC 2046."""
    if encoding.strip().lower() != "base64" or mail.keys():
        return mail
    mail["Content-Transfer-Encoding"] = encoding
    content = mail.get_payload(decode=True)
    return message_from_bytes(content, policy=policy.default) if isinstance(content, bytes) else mail


def _own_parts(mail: EmailMessage) -> Iterator[EmailMessage]:
    """A mail and its parts, but not those of mails that are attached to it."""
    yield mail
    if mail.get_content_type() != MAIL_TYPE and mail.is_multipart():
        for part in mail.iter_parts():
            if isinstance(part, EmailMessage):
                yield from _own_parts(part)


def _attachment_line(part: EmailMessage) -> str:
    content = part.get_payload(decode=True)
    size = len(content) if isinstance(content, bytes) else 0
    name = _decoded_words(part.get_filename() or "")
    return f"- {name or '(no name)'} ({part.get_content_type()}, {size} bytes)"
