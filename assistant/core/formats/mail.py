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
_SEPARATOR = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\n]*\n")
"""Begins each message of a mailbox (RFC 4155)."""
_UNSEEN = (
    "//head|//script|//style|//template|//noscript|//comment()|//*[@hidden]"
    "|//*[contains(translate(@style, ' ', ''), 'display:none')]"
)
_LINES = "//br|//p|//div|//tr|//li|//h1|//h2|//h3|//h4|//blockquote|//pre"
_KOREAN_CHARSETS = frozenset({"euc-kr", "ks_c_5601-1987", "ks_c_5601", "ksc5601"})
"""Names under which mail programs write CP949, which has more syllables."""


def is_mail(media_type: str) -> bool:
    """Whether files of this type hold mail."""
    return media_type in (MAIL_TYPE, MAILBOX_TYPE)


def mail_text(data: bytes) -> str:
    """The readable text of a mail, or of each mail in a mailbox file."""
    mails = [part for part in _SEPARATOR.split(data) if part.strip()]
    return "\n\n---\n\n".join(_one_mail(message_from_bytes(each, policy=policy.default)) for each in mails)


def _one_mail(mail: EmailMessage) -> str:
    headers = [f"{name}: {text}" for name in _SHOWN_HEADERS if (text := _header(mail, name))]
    body = mail.get_body(("plain", "html"))
    text = "" if body is None else _body_text(body)
    files = [_attachment_line(part) for part in _attachments(mail, body)]
    attached = "\n".join(["Attachments:", *files]) if files else ""
    nested = [f"--- {_one_mail(each)}" for each in _forwarded(mail)]
    return "\n\n".join(part for part in ("\n".join(headers), text.strip(), attached, *nested) if part)


def _header(mail: EmailMessage, name: str) -> str:
    raw = next((str(value) for key, value in mail.raw_items() if key.lower() == name.lower()), "")
    if not raw.isascii():  # written without encoding, by old programs
        return _plain(raw.encode("utf-8", "surrogateescape"), "")
    try:
        pieces = decode_header(raw)
    except HeaderParseError:
        return raw
    words = (_plain(text, charset or "") if isinstance(text, bytes) else text for text, charset in pieces)
    return " ".join("".join(words).split())


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
    for link in tree.xpath("//a[starts-with(@href, 'http')]"):
        if link.get("href") not in (link.text_content() or ""):
            link.tail = f" ({link.get('href')}){link.tail or ''}"
    lines = (" ".join(line.split()) for line in str(tree.text_content()).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _attachments(mail: EmailMessage, body: MIMEPart | None) -> Iterator[EmailMessage]:
    """The parts that a mail program shows as files: those with a name, but not texts of the mail itself."""
    for part in _own_parts(mail):
        is_file = part.get_filename() or part.get_content_maintype() != "text"
        if is_file and part is not body and not part.is_multipart():
            yield part


def _forwarded(mail: EmailMessage) -> Iterator[EmailMessage]:
    for part in _own_parts(mail):
        if part.get_content_type() == MAIL_TYPE:
            yield from (each for each in part.iter_parts() if isinstance(each, EmailMessage))


def _own_parts(mail: EmailMessage) -> Iterator[EmailMessage]:
    """The parts of a mail, but not those of mails that are attached to it."""
    if mail.get_content_type() == MAIL_TYPE or not mail.is_multipart():
        return
    for part in mail.iter_parts():
        if isinstance(part, EmailMessage):
            yield part
            yield from _own_parts(part)


def _attachment_line(part: EmailMessage) -> str:
    content = part.get_payload(decode=True)
    size = len(content) if isinstance(content, bytes) else 0
    name = _header_name(part.get_filename() or "")
    return f"- {name or '(no name)'} ({part.get_content_type()}, {size} bytes)"


def _header_name(name: str) -> str:
    """A file name, which some programs write as an encoded word within quotes."""
    if "=?" not in name:
        return name
    try:
        pieces = decode_header(name)
    except HeaderParseError:
        return name
    return "".join(_plain(text, charset or "") if isinstance(text, bytes) else text for text, charset in pieces)
