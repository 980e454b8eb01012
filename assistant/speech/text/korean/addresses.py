"""Web addresses, e-mail addresses, file names and paths in Korean."""

import re
from typing import Final

from assistant.core.markup.addresses import particles_after
from assistant.speech.text.email import EMAIL
from assistant.speech.text.korean import numerals
from assistant.speech.text.korean.latin_words.loanwords import hangul_word, letters
from assistant.speech.text.korean.marks import word

_URL: Final = re.compile(
    r"\b(?:https?|ftp)://(?:www\.)?([A-Za-z0-9가-힣.-]{1,200}?[A-Za-z0-9])(?!\.?[A-Za-z0-9-])(?::\d{1,5})?"
    r"(?:[/?#][^\s\"'<>()\[\]{}|]{0,400}(?<![.,!?;:]))?/?"
)
_SUFFIXES: Final = (
    "com|net|org|io|kr|co|go|or|ac|dev|app|ai|edu|gov|info|me|tv|us|uk|jp|cn|de|fr|eu|xyz|site|shop|blog|cloud"
)
_HOST: Final = re.compile(
    rf"(?<![\w.@/-])(?:www\.)?((?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,40}})\.){{1,4}}(?:{_SUFFIXES}))(?::\d{{1,5}})?"
    r"((?:/[A-Za-z0-9_.~%-]{0,60}){0,6})(?![A-Za-z0-9@])",
)
_EXTENSIONS: Final = (
    "py|pyw|ipynb|js|jsx|ts|tsx|mjs|json|jsonl|yaml|yml|toml|ini|cfg|conf|md|txt|rst|csv|tsv|"
    "xml|html|htm|css|scss|sql|sh|bat|ps1|"
    "c|h|cpp|hpp|cs|java|kt|rs|go|rb|php|swift|r|pdf|doc|docx|xls|xlsx|ppt|pptx|hwp|hwpx|jpg|"
    "jpeg|png|gif|svg|webp|bmp|heic|mp3|mp4|"
    "wav|flac|ogg|avi|mkv|mov|zip|tar|gz|7z|rar|exe|dmg|deb|rpm|apk|iso|log|env|lock|db|sqlite|"
    "gguf|onnx|so|dll|bin|dat|bak"
)
_FILE: Final = re.compile(
    rf"(?<![\w@])([A-Za-z0-9_가-힣][\w-]{{0,60}}(?:\.[\w-]{{1,30}}){{0,3}})\.({_EXTENSIONS})(?![A-Za-z0-9_]|\.\w)"
)
_DOT_FILE: Final = re.compile(r"(?<![\w.가-힣)])\.(?=[A-Za-z]{2})")
_PATH: Final = re.compile(
    r"(?<![\w/.~:])(?:~|\.{1,2}|[A-Za-z]:)?"
    r"(?:[/\\](?:[A-Za-z0-9_.-]{1,60}|[가-힣][A-Za-z0-9_.가-힣-]{0,60})){2,10}(?<!\.)/?(?![\w/])"
    r"|(?<![\w/.~])(?:~|\.{1,2})/[A-Za-z0-9_.-]{1,60}(?<!\.)/?"
    r"|(?<![^\s\"'(`])(?<!\d )/[A-Za-z][A-Za-z0-9_-]{1,60}/?(?![A-Za-z0-9_/])",
    re.ASCII,
)
_PART: Final = re.compile(r"[A-Za-z]+|\d+|[가-힣]+|[^\sA-Za-z\d가-힣]")
_SIGNS: Final = {
    ".": "점",
    "-": "하이픈",
    "_": "언더바",
    "/": "슬래시",
    "\\": "역슬래시",
    "@": "골뱅이",
    "~": "물결",
    ":": "콜론",
    "+": "플러스",
}
_LONGEST_NUMBER: Final = 4
_EXTENSION_WORDS: Final = frozenset(
    {"json", "java", "swift", "zip", "log", "bin", "lock", "jpeg", "sqlite", "yaml", "go"}
)


def read_addresses(text: str) -> str:
    """``text`` with addresses and file names in words: ``example.com`` becomes 이그잼플 닷컴."""
    if "@" in text:
        text = EMAIL.sub(lambda found: f" {word(_spelled(found.group(1)) + ' 골뱅이 ' + _host(found.group(2)))}", text)
    if "://" in text:
        text = _URL.sub(lambda found: f" {word(_host(found.group(1)))}{particles_after(found)}", text)
    if "/" in text or "\\" in text:
        text = _PATH.sub(lambda found: f" {word(_path(found.group()))}", text)
    if "." in text:
        text = _DOT_FILE.sub(" 점 ", text)
        text = _HOST.sub(lambda found: f" {word(_host(found.group(1)) + _tail(found.group(2)))}", text)
        text = _FILE.sub(lambda found: f" {word(_file(found.group(1), found.group(2)))}", text)
    return text


def _tail(path: str) -> str:
    return " " + _spelled(path.rstrip("/")) if path.strip("/") else ""


def _host(host: str) -> str:
    return re.sub(r" 점 컴$", " 닷컴", _spelled(host.removeprefix("www.")))


def _path(path: str) -> str:
    stem, dot, extension = path.rpartition(".")
    if dot and stem and extension.lower() in _EXTENSIONS.split("|"):
        return _file(stem, extension)
    return _spelled(path)


def _file(stem: str, extension: str) -> str:
    small = extension.lower()
    if small in _EXTENSION_WORDS:
        end = hangul_word(small)
    else:
        end = "".join(
            letters(part) if part.isalpha() else numerals.digits(part) for part in re.findall(r"[a-z]+|\d+", small)
        )
    return f"{_spelled(stem)} 점 {_MEDIA.get(small, end)}"


_MEDIA: Final = {"mp3": "엠피스리", "mp4": "엠피포", "py": "파이", "7z": "세븐지"}


def _spelled(text: str) -> str:
    return " ".join(_part(part) for part in _PART.findall(text))


def _part(part: str) -> str:
    if part[0] in _SIGNS:
        return _SIGNS[part[0]]
    if part.isdecimal():  # a superscript is a digit, but no number can be made of it
        is_number = len(part) <= _LONGEST_NUMBER and part[0] != "0"
        return numerals.sino(int(part)).replace(" ", "") if is_number else numerals.digits(part)
    if part.isascii() and part.isalpha():
        return letters(part) if part == "etc" else hangul_word(part)
    return part if "가" <= part[0] <= "힣" else ""
