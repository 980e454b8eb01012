"""The passages of one project by their words, in a folder of tantivy's files.

The folder holds nothing that the rows do not hold. It is thrown away and made anew when it is broken.
"""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tantivy import Document, Index, IndexWriter, Occur, Query, SchemaBuilder

from assistant.knowledge.index.terms import VERSION, terms_of

_NAME = f"words-{VERSION}"
_WRITER_BYTES = 24 << 20
"""Memory of tantivy's writer while passages are added. Its least is 15 MB."""
_ABOUT_WEIGHT: Final = 0.4
"""What a word in the name of the file or in a heading counts, beside one in the passage itself."""
_MOST_TERMS = 96
"""Terms of a question that are looked for. A question that is a whole page is known by fewer."""


class BrokenFilesError(Exception):
    """The files of a project cannot be read or written. They must be made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A passage to add.

    Attributes:
        about: name of the file and headings.
    """

    id: int
    file: str
    about: str
    text: str


class LexicalFiles:
    """Adds, removes and finds passages by their words. One thread at a time may change them; any may search.

    Args:
        folder: the folder of the project's files. Where ``exists`` is false, it is made, and holds no passages.
    """

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether the folder has files of words that this version can use."""
        return (folder / _NAME).exists()

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _NAME
        schema = SchemaBuilder()
        schema.add_integer_field("id", indexed=True, fast=True)
        schema.add_text_field("file", tokenizer_name="raw", index_option="basic")
        schema.add_text_field("about", tokenizer_name="whitespace", index_option="freq")
        schema.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
        self._schema = schema.build()
        with self._guarded():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._index = Index(self._schema, str(self._folder))
            self._index.reload()

    def change(self, added: Sequence[Added], removed: Collection[int]) -> None:
        """Add and remove passages. Adding one again changes nothing, so an interrupted change may be repeated.

        Raises:
            BrokenFilesError: the files cannot be written.
        """
        with self._guarded():
            writer: IndexWriter = self._index.writer(_WRITER_BYTES, 1)
            try:
                for each in {*removed, *(passage.id for passage in added)}:
                    writer.delete_documents_by_term("id", each)
                for passage in added:
                    writer.add_document(_document(passage))
                writer.commit()
            finally:
                writer.wait_merging_threads()  # It also gives the lock of the folder back.
            self._index.reload()

    def search(self, question: str, files: Collection[str] | None, limit: int) -> list[tuple[int, float]]:
        """Ids of passages that share words with the question, with their BM25 scores, the best first.

        Raises:
            BrokenFilesError: the files cannot be read.
        """
        terms = list(dict.fromkeys(terms_of(question)))[:_MOST_TERMS]
        if not terms or (files is not None and not files):
            return []
        with self._guarded():
            searcher = self._index.searcher()
            found = searcher.search(self._query(terms, files), limit=limit, count=False).hits
            ids = searcher.fast_field_values("id", [address for _, address in found])
        return [(int(id_), score) for id_, (score, _) in zip(ids, found, strict=True) if id_ is not None]

    def _query(self, terms: Sequence[str], files: Collection[str] | None) -> Query:
        about = [Query.boost_query(self._term("about", term), _ABOUT_WEIGHT) for term in terms]
        any_of = Query.boolean_query(
            [(Occur.Should, each) for each in (*(self._term("text", term) for term in terms), *about)]
        )
        if files is None:
            return any_of
        within = Query.const_score_query(Query.term_set_query(self._schema, "file", list(files)), 0.0)
        return Query.boolean_query([(Occur.Must, within), (Occur.Must, any_of)])

    def _term(self, field: str, term: str) -> Query:
        return Query.term_query(self._schema, field, term, "freq")

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Translate tantivy's errors. A damaged file makes its Rust code panic, which is no ``Exception`` in Python."""
        try:
            yield
        except (ValueError, RuntimeError, OSError) as error:
            raise BrokenFilesError(str(self._folder)) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise BrokenFilesError(str(self._folder)) from error


def _document(passage: Added) -> Document:
    return Document(
        id=passage.id,
        file=passage.file,
        about=" ".join(terms_of(passage.about)),
        text=" ".join(terms_of(passage.text)),
    )
