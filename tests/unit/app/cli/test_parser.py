import argparse
import ast
import gettext
import os
import re
from pathlib import Path

import pytest

from assistant.app.cli.parser import Parser, own_words_in
from assistant.host.texts import TRANSLATIONS

CATALOGUE = TRANSLATIONS / "ko" / "LC_MESSAGES" / "messages.po"


def test_the_compiled_catalogue_says_what_its_source_says() -> None:
    entries = re.findall(r'^msgid (".+")\nmsgstr (".+")$', CATALOGUE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    assert len(entries) > 15
    for english, korean in entries:
        assert compiled.gettext(ast.literal_eval(english)) == ast.literal_eval(korean)


def test_a_count_of_values_is_told_in_korean(capsys: pytest.CaptureFixture[str]) -> None:
    with own_words_in("ko", TRANSLATIONS):
        parser = Parser(prog="sori")
        parser.add_argument("--pair", nargs=2, metavar="N")
        with pytest.raises(SystemExit):
            parser.parse_args(["--pair", "one"])
    assert capsys.readouterr().err.endswith("sori: --pair: 값이 2개 필요해요\n")


@pytest.mark.parametrize("before", ["en_US:en", None])
def test_the_environment_is_as_it_was_after_parsing(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if before is None:
        monkeypatch.delenv("LANGUAGE", raising=False)
    else:
        monkeypatch.setenv("LANGUAGE", before)
    with pytest.raises(argparse.ArgumentError), own_words_in("ko", TRANSLATIONS):
        raise argparse.ArgumentError(None, "what a command may raise")
    assert os.environ.get("LANGUAGE") == before


def test_a_language_without_a_catalogue_has_argparses_own_english(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with own_words_in("ko", tmp_path), pytest.raises(SystemExit):
        Parser(prog="sori").parse_args(["--help"])
    assert capsys.readouterr().out.startswith("usage: sori")
