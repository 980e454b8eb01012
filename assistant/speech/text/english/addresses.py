"""Web addresses, e-mail addresses, file names and paths in English."""

import re
from typing import Final

from assistant.core.markup.addresses import particles_after
from assistant.speech.text.email import EMAIL
from assistant.speech.text.english.abbreviations import spelled
from assistant.speech.text.english.numerals import cardinal, digits
from assistant.speech.text.vocabulary import listed

_URL: Final = re.compile(
    r"\b(?:https?|ftp)://(?:www\.)?([A-Za-z0-9가-힣.-]{1,200}?[A-Za-z0-9])(?!\.?[A-Za-z0-9-])(?::\d{1,5})?"
    r"(?:[/?#][^\s\"'<>()\[\]{}|]{0,400}(?<![.,!?;:]))?/?"
)
_SUFFIXES: Final = "com|net|org|io|kr|co|gov|edu|dev|app|ai|info|me|tv|us|uk|jp|cn|de|fr|eu|xyz|site|shop|blog|cloud"
_HOST: Final = re.compile(
    rf"(?<![\w.@/-])(?:www\.)?((?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,40}})\.){{1,4}}(?:{_SUFFIXES}))(?::\d{{1,5}})?"
    r"((?:/[A-Za-z0-9_.~%-]{0,60}){0,6})(?![\w@])",
    re.ASCII,
)
_EXTENSIONS: Final = {
    **{
        name: name
        for name in (listed("json toml conf java swift bin log lock zip tar text bat bash yaml ogg wav deb iso env"))
    },
    **dict.fromkeys(
        listed(
            "py js jsx ts tsx mjs jsonl yml ini cfg md txt rst csv tsv xml html htm css scss sql sh c h "
            "cpp hpp cs kt rs rb php pdf doc docx xls xlsx ppt pptx hwp jpg jpeg png gif svg webp bmp "
            "mp3 mp4 flac avi mkv mov gz 7z rar exe dmg rpm apk db sqlite gguf onnx so dll dat bak "
            "ipynb"
        ),
        "",
    ),
}
_FILE: Final = re.compile(
    rf"(?<![\w@])([A-Za-z0-9_][\w-]{{0,60}}(?:\.[\w-]{{1,30}}){{0,3}})\.({'|'.join(_EXTENSIONS)})(?![A-Za-z0-9_]|\.\w)",
    re.ASCII,
)
_DOT_FILE: Final = re.compile(r"(?<![\w.)])\.(?=[A-Za-z]{2})")
_PATH: Final = re.compile(
    r"(?<![\w/.~:<])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][A-Za-z0-9_.-]{1,60}){2,10}(?<!\.)/?(?![\w/])"
    r"|(?<![\w/.~])(?:~|\.{1,2})/[A-Za-z0-9_.-]{1,60}(?<!\.)/?"
    r"|(?<![^\s\"'(`])(?<!\d )/[A-Za-z][A-Za-z0-9_-]{1,60}/?(?![\w/])",
    re.ASCII,
)
_PART: Final = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")
_SIGNS: Final = {
    ".": "dot",
    "-": "dash",
    "_": "underscore",
    "/": "slash",
    "\\": "backslash",
    "@": "at",
    "~": "tilde",
    ":": "colon",
    "+": "plus",
}
_SAID: Final = {
    "jpeg": "jay peg",
    "gif": "gif",
    "7z": "seven Z",
    "mp3": "M-P three",
    "mp4": "M-P four",
    "sqlite": "S-Q-Lite",
}
_LONGEST_NUMBER: Final = 4


def read_paths(text: str) -> str:
    """``text`` with paths of files in words: ``/home/user`` becomes slash home slash user."""
    return _PATH.sub(lambda found: _path(found.group()), text) if "/" in text or "\\" in text else text


def read_addresses(text: str) -> str:
    """``text`` with addresses and file names in words: ``example.com`` becomes example dot com."""
    if "@" in text:
        text = EMAIL.sub(lambda found: f"{_in_words(found.group(1))} at {_in_words(found.group(2))}", text)
    if "://" in text:
        text = _URL.sub(lambda found: f"{_in_words(found.group(1))} {particles_after(found)}".rstrip(), text)
    if "." in text:
        text = _DOT_FILE.sub("dot ", text)
        text = _HOST.sub(lambda found: _in_words(found.group(1) + found.group(2).rstrip("/")), text)
        text = _FILE.sub(lambda found: _file(found.group(1), found.group(2)), text)
    return text


def _path(path: str) -> str:
    stem, dot, extension = path.rpartition(".")
    return _file(stem, extension) if dot and stem and extension in _EXTENSIONS else _in_words(path)


def _file(stem: str, extension: str) -> str:
    end = _SAID.get(extension) or _EXTENSIONS[extension] or spelled(extension)
    return f"{_in_words(stem)} dot {end}"


def _in_words(text: str) -> str:
    return " ".join(_part(part) for part in _PART.findall(text)).strip()


def _part(part: str) -> str:
    if part.isdigit():
        is_number = len(part) <= _LONGEST_NUMBER and part[0] != "0"
        return cardinal(int(part)) if is_number else digits(part)
    return "E-T-C" if part == "etc" else _SIGNS.get(part, part)
