"""Share of everyday answers with text that a voice would have to guess, with and without the spoken form.

Two arms alternate on the same answers: text without markup, which voices formerly got, and the spoken form. An answer
counts as unread if it contains anything but words of its language and punctuation: a figure, a sign, a Latin letter in
Korean. Only a person can judge whether a reading is right: ``--show`` prints each one.

    python benchmarks/spoken/spoken_form.py [--language ko en] [--answers FILE] [--show]
"""

import argparse
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.speech.text.characters import plain_characters
from assistant.speech.text.markup import plain_text
from assistant.speech.text.spoken import spoken_text

_READABLE = {"ko": re.compile(r"[가-힣 .,?!…'\"]*"), "en": re.compile(r"[A-Za-z .,?!…'\"-]*")}


def without_markup(text: str, language: str) -> str:
    """The baseline: the text without markup."""
    del language
    return plain_text(plain_characters(text))


ARMS: dict[str, Callable[[str, str], str]] = {"without markup": without_markup, "spoken form": spoken_text}


def main() -> None:
    """Convert the answers with each arm and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", nargs="+", choices=["ko", "en"], default=["ko", "en"])
    parser.add_argument("--answers", type=Path, help="answers of one language, one a line")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for language in options.language:
        path = options.answers or Path(__file__).with_name(f"everyday_answers_{language}.txt")
        lines = path.read_text(encoding="utf-8").splitlines()
        _compare([line for line in lines if line.strip() and not line.startswith("# ")], language, show=options.show)


def _compare(answers: list[str], language: str, *, show: bool) -> None:
    unread = dict.fromkeys(ARMS, 0)
    spent_s = dict.fromkeys(ARMS, 0.0)
    for answer in answers:
        for name, arm in ARMS.items():
            began_s = time.process_time()
            reading = arm(answer, language)
            spent_s[name] += time.process_time() - began_s
            unread[name] += not _READABLE[language].fullmatch(reading)
        if show:
            print(f"{answer}\n    {spoken_text(answer, language)}")
    for name in ARMS:
        share = unread[name] / len(answers)
        print(
            f"{language}  {name:15} {unread[name]:4} of {len(answers)} answers leave something to guess ({share:.1%}), "
            f"{spent_s[name] / len(answers) * 1000:.2f} ms of processor time each"
        )
    first, last = (unread[name] for name in ARMS)
    print(f"{language}  ratio           {last / first:.3f}" if first else f"{language}  nothing to guess at in either")


if __name__ == "__main__":
    main()
