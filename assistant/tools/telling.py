"""How much a call tells other computers, in bits: what it says beyond the user's request and public choices. Pure.

What is free, and what a choice costs, is in ``docs/decisions/content-from-outside.md``.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from assistant.tools.said_words import folded, is_said, unsaid_of, words_of
from assistant.tools.tool import Tool

BUDGET_BITS = 12.0
"""What the calls of one conversation may tell unasked. A PIN of four digits has 13.3 bits."""

_ADDRESS = re.compile(r"\w+://[^\s\"'<>]+")
_WRITTEN = re.compile(
    r"(?:\w+://|www\.)[^\s\"'<>]+|(?<![\w@.])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/:?#][^\s\"'<>]*)?", re.IGNORECASE
)
_BEHIND = re.compile(r"[)\]},.!?;:。…'\"]*[가-힣]{0,5}[)\]},.!?;:。…'\"]*")
"""What may follow an address that the user wrote: marks and Korean particles."""
_SENTENCES = re.compile(r"(?<=[.!?。？！])\s+|\n+")
_WANTS = re.compile(
    r"[?？]|(?:줘|줄래|주라|주세요|주십시오|봐|봐요|보자|볼래|까|니|나요|ㄴ가|는지|부탁|라|해|요)\s*[.!~]*$|열|읽|요약|정리|살펴|찾|보여|알려|번역|확인|비교|검색"
    r"|\b(?:open|read|visit|go to|show|check|look|summar\w*|translate|fetch|load|browse|see|tell|what|how|find"
    r"|compare|explain|review"
    r"|search|get|give|who|when|where|why|which|please)\b",
    re.IGNORECASE,
)
_UNWANTED = re.compile(r"지\s?(?:마|말|않)|말고|안\s?(?:열|읽|봐)|\b(?:don'?t|do not|never|not)\b", re.IGNORECASE)
_STATES = re.compile(
    r"(?:이다|다|이야|야|예요|이에요|에요|어요|아요|입니다|니다|거든|는데|이고)\s*[.!~]*$"
    r"|^\W*(?:i|my|we|our|he|she|it|this|that|there|the)\b(?!.*[?？])",
    re.IGNORECASE,
)
_ASIDES = re.compile(r",\s+|(?<=데)\s+|(?<=지만)\s+|(?<=니까)\s+|(?<=라서)\s+|\s+(?:and|but|so)\s+", re.IGNORECASE)
_OF_ONESELF = re.compile(
    r"^(?:내가?|나는|난|제가?|저는|전|우리)\s.*(?:데|지만|니까|라서)$|^(?:i|i'm|my|we|our)\b(?!.*[?？])", re.IGNORECASE
)
"""A clause in which the user tells something, beside the one that asks."""
_SECRET = re.compile(
    r"비밀번호|비번|암호|인증\s?번호|주민|계좌|카드\s?번호|핀\s?번호|\bpins?\b|passw|passphrase|passcode|secret|credential|token"
    r"|api.?key|\bssn\b",
    re.IGNORECASE,
)
_RANKS = (
    (r"첫|1\s?번|맨 위|가장 위|\bfirst\b|\b1st\b|\btop\b", 0),
    (r"두\s?번|둘째|2\s?번|\bsecond\b|\b2nd\b", 1),
    (r"세\s?번|셋째|3\s?번|\bthird\b|\b3rd\b", 2),
    (r"네\s?번|넷째|4\s?번|\bfourth\b|\b4th\b", 3),
    (r"다섯\s?번|5\s?번|\bfifth\b|\b5th\b", 4),
    (r"마지막|맨 아래|\blast\b", -1),
)
_GENERIC = frozenset({"www", "m", "co", "or", "go", "ac", "ne", "re", "com", "org", "net", "gov", "edu"})
"""Labels of a host that name no site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """One result of a search."""

    url: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWords:
    """What a call may repeat for nothing, or as a choice.

    Attributes:
        request: the user's own words of this turn.
        written: what the user wrote as addresses in order to have them opened, in this conversation.
        found: the results of each search, best first.
        opened: the addresses that were opened.
        public: the words of the pages and results that were read, between spaces.
    """

    request: str = ""
    written: tuple[str, ...] = ()
    found: tuple[tuple[FoundPage, ...], ...] = ()
    opened: frozenset[str] = frozenset()
    public: str = ""

    def bits(self, tool: Tool, arguments: Mapping[str, Any]) -> float:
        """How much the arguments tell; infinite for what is neither the user's nor a choice."""
        properties = tool.parameters.get("properties", {})
        # A schema may also be true or false.
        schemas = {name: each for name, each in properties.items() if isinstance(each, Mapping)}
        return sum(
            self._argument_bits(value, schemas.get(name, {}), counts=tool.searches) for name, value in arguments.items()
        )

    def is_free_address(self, url: str) -> bool:
        """Whether the user asked for exactly this address, or named its site."""
        return any(_is_written(url, each) for each in self.written) or self._is_named_site(url)

    def is_found(self, url: str) -> bool:
        """Whether a search returned this address."""
        return any(page.url == url for pages in self.found for page in pages)

    def _argument_bits(self, value: Any, schema: Mapping[str, Any], *, counts: bool) -> float:
        if value is None or isinstance(value, bool) or value == schema.get("default"):
            return 0.0 if value is None or value == schema.get("default") else 1.0
        if value in schema.get("enum", ()):
            return math.log2(len(schema["enum"]))
        if counts and is_count(value):
            return 1.0 if value in _USUAL_COUNTS else math.log2(_MOST_RESULTS)
        return sum(self._text_bits(text) for text in texts_in(value))

    def _text_bits(self, text: str) -> float:
        addresses = _ADDRESS.findall(text)
        words = words_of(_ADDRESS.sub(" ", text))
        return sum(map(self._address_bits, addresses)) + self._words_bits(words)

    def _address_bits(self, url: str) -> float:
        if self.is_free_address(url):
            return 0.0
        costs = [self._choice_bits(url, pages) for pages in self.found if any(page.url == url for page in pages)]
        return min(costs, default=math.inf)

    def _choice_bits(self, url: str, pages: tuple[FoundPage, ...]) -> float:
        """What the choice of a result tells. The user's words may name it; the next one is no choice but to go on."""
        if url in self.opened:
            return 1.0
        named = _named_pages(self.request, pages)
        if url in named:
            return math.log2(len(named))
        unread = [page.url for page in pages if page.url not in self.opened]
        return 1.0 if unread and unread[0] == url else 1.0 + math.log2(len(pages))

    def _words_bits(self, words: list[str]) -> float:
        said = words_of(asking_part(self.request))
        bits, run = 0.0, list[str]()
        for word in words:
            if not unsaid_of([word], said):
                continue
            longer = [*run, word]
            if f" {' '.join(longer)}" in self.public:
                run = longer
                continue
            bits += self._phrase_bits(run)
            run = [word]
        return bits + self._phrase_bits(run)

    def _phrase_bits(self, run: list[str]) -> float:
        """What a choice of a passage of public text tells; infinite for other words."""
        if not run:
            return 0.0
        if f" {' '.join(run)}" not in self.public:
            return math.inf
        return math.log2(self.public.count(" ") + 1) + math.log2(len(run))

    def _is_named_site(self, url: str) -> bool:
        """Whether an address is the entry of a site whose name the request contains. It tells no other words."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return False
        if parts.scheme not in {"http", "https"} or parts.path not in {"", "/"} or parts.query or parts.fragment:
            return False
        labels = [label for label in host.split(".")[:-1] if label not in _GENERIC]
        said = words_of(asking_part(self.request))
        return (
            bool(labels)
            and "@" not in parts.netloc
            and all(any(is_said(label, word) for word in said) for label in labels)
        )


NOTHING_KNOWN = KnownWords()
_USUAL_COUNTS = (3, 5, 10)
_MOST_RESULTS = 20
"""A number up to which an argument only says how many are wanted."""


@lru_cache(maxsize=128)  # Every turn reads the same messages again.
def written_addresses(message: str) -> tuple[str, ...]:
    """What stands as addresses in the sentences of a message that ask for something, up to the next space."""
    found = list[str]()
    for sentence in _SENTENCES.split(message):
        addresses = _WRITTEN.findall(sentence)
        rest = _WRITTEN.sub(" ", sentence)
        alone = not words_of(rest) and len(words_of(message)) == len(words_of(sentence))
        if addresses and not _UNWANTED.search(rest) and (alone or _WANTS.search(rest)):
            found.extend(addresses)
    # "https://a.example. Summarise it.": the order is in the next sentence.
    if not found and (addresses := _WRITTEN.findall(message)) and not _UNWANTED.search(message):
        rest = _WRITTEN.sub(" ", message)
        if not _STATES.search(_SENTENCES.split(rest.strip())[0]) and _WANTS.search(rest):
            found.extend(addresses)
    return tuple(found)


def asking_part(request: str) -> str:
    """The sentences of a request that ask for something. What it states beside them, and secrets, stay here."""
    sentences = [each for each in _SENTENCES.split(request) if each.strip()]
    asking = sentences if len(sentences) == 1 else [each for each in sentences if not _STATES.search(each.strip())]
    clauses = [clause for each in asking if not _SECRET.search(each) for clause in _ASIDES.split(each)]
    return "\n".join(clauses if len(clauses) == 1 else [each for each in clauses if not _OF_ONESELF.search(each)])


def found_pages(result: str) -> tuple[FoundPage, ...]:
    """The results of a search, from its text. Addresses inside passages are no results."""
    try:
        documents = json.loads(result)["documents"]
        return tuple(
            FoundPage(url=str(each["url"]), title=str(each.get("title", ""))) for each in documents if "url" in each
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ()


def texts_in(value: Any) -> Iterator[str]:
    """All texts and numbers in an argument, the names of members too."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def is_count(value: Any) -> bool:
    """Whether an argument of a search only says how many results are wanted."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_RESULTS


def _is_written(url: str, written: str) -> bool:
    wanted, given = _plain_address(url), _plain_address(written)
    return given.startswith(wanted) and _BEHIND.fullmatch(given[len(wanted) :]) is not None


def _plain_address(text: str) -> str:
    """An address without its scheme and last slash, its letters decoded; the case of the path counts."""
    rest = re.sub(r"^https?://", "", text.strip(), flags=re.IGNORECASE)
    host, slash, path = rest.partition("/")
    return unquote(f"{folded(host)}{slash}{path}").rstrip("/")


def _named_pages(request: str, pages: tuple[FoundPage, ...]) -> frozenset[str]:
    """The results that the request names: by their place, or by a word that only one of them has in title or host."""
    plain = folded(request)
    named = {pages[rank].url for words, rank in _RANKS if re.search(words, plain) and -len(pages) <= rank < len(pages)}
    heads = [folded(f"{page.title} {page.url.partition('://')[2].partition('/')[0]}") for page in pages]
    for word in words_of(asking_part(request)):
        having = [page.url for page, head in zip(pages, heads, strict=True) if len(word) > 1 and word in head]
        named |= set(having) if len(having) == 1 else set()
    return frozenset(named)
