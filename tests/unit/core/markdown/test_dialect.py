"""Emphasis, formulas and links beside Korean particles, names of programs and currencies (D-05)."""

import pytest

from assistant.core.markdown import dialect
from assistant.core.markdown.reading import read
from assistant.core.markdown.units import Paragraph, TextRun


def runs(source: str) -> tuple[TextRun, ...]:
    (unit,) = read(source).units
    assert isinstance(unit, Paragraph)
    return unit.runs


def marked(source: str, format_: str) -> list[str]:
    return [run.text for run in runs(source) if getattr(run, format_)]


def shown(source: str) -> str:
    return "".join(run.text for run in runs(source))


@pytest.mark.parametrize(
    ("source", "format_", "inner", "whole"),
    [
        ("~~(삭제)~~는", "struck", "(삭제)", "(삭제)는"),
        ('~~"옛 이름"~~으로 불렀다', "struck", '"옛 이름"', '"옛 이름"으로 불렀다'),
        ("정가는~~(9,900원)~~이었다", "struck", "(9,900원)", "정가는(9,900원)이었다"),
        ("~~취소~~했다", "struck", "취소", "취소했다"),
        ("~~(old)~~ new", "struck", "(old)", "(old) new"),
        ("__이름(name)__은", "bold", "이름(name)", "이름(name)은"),
        ("__중요__는", "bold", "중요", "중요는"),
        ("__React__를 쓴다", "bold", "React", "React를 쓴다"),
        ("__“따옴표”__라고 한다", "bold", "“따옴표”", "“따옴표”라고 한다"),
        ("_강조(x)_입니다", "italic", "강조(x)", "강조(x)입니다"),
        ("_강조_에서", "italic", "강조", "강조에서"),
        ("**중요(重要)**합니다", "bold", "중요(重要)", "중요(重要)합니다"),
        ("***정말!***이라고", "bold", "정말!", "정말!이라고"),
        ("This is __really__ good", "bold", "really", "This is really good"),
        ("_This_, too", "italic", "This", "This, too"),
        ("~~gone~~, here", "struck", "gone", "gone, here"),
    ],
)
def test_emphasis_ends_before_a_particle(source: str, format_: str, inner: str, whole: str) -> None:
    assert marked(source, format_) == [inner]
    assert shown(source) == whole


@pytest.mark.parametrize(
    "source",
    [
        "__init__은 생성자다",
        "def __init__(self): 를 고친다",
        'if __name__ == "__main__":',
        "__all__ = []",
        "__main__.py를 실행한다",
        "2024_보고서_최종.hwp는 여기",
        "_보고서_최종.hwp를 연다",
        "snake_case_name은 이름이다",
        "10~20도, 3~~4일은 아니다",
        "a~~(b)~~c",
        "2 * 3 * 4는 24",
        "변수_이름_값",
        "foo_bar_baz and self.__slots",
    ],
)
def test_what_is_no_emphasis_keeps_its_signs(source: str) -> None:
    assert shown(source) == source
    assert not any(run.bold or run.italic or run.struck for run in runs(source))


@pytest.mark.parametrize(
    "source",
    [
        "$PATH:$HOME",
        "$A/$B",
        "$HOME은 집, $PATH는 길",
        "$HOME/$USER에서",
        "jQuery $(this).find($x)",
        "$(a)/$(b)",
        "${a}/${b}",
        "^foo$|^bar$ 정규식",
        "$5에서 $10까지",
        "It costs $5 (or €4) and 10$ more",
        "US$5와 HK$10",
        "echo $$ 그리고 $1",
        "Paid $20 in cash and owe $30 more",
        "a$b$c",
        "$foo and bar$",
        "$CONDA_PREFIX:$LD_LIBRARY_PATH",
    ],
)
def test_a_dollar_sign_of_a_name_or_a_price_opens_no_formula(source: str) -> None:
    assert shown(source) == source
    assert not marked(source, "math")


@pytest.mark.parametrize(
    ("source", "formulas"),
    [
        ("$x$는 변수", ["x"]),
        ("$a$와 $b$", ["a", "b"]),
        ("넓이는 $x^2$입니다", ["x²"]),
        (r"$\alpha$입니다", ["α"]),
        ("$f(x)$를 미분", ["f(x)"]),
        ("$a+b=c$라면", ["a+b = c"]),
        ("$(x, y)$에서", ["(x, y)"]),
        (r"$O(n \log n)$ time", ["O(n logn)"]),
        ("CO$_2$ 농도", ["₂"]),
        ("US$5, $x$", ["x"]),
        ("$10$개", ["10"]),
        ("$$x^2$$", ["x²"]),
        ("Let $n-1$ be even", ["n-1"]),
        (r"$\text{면적} = 3$", ["면적 = 3"]),
        ("두 점 $A, B$를 잇는다", ["A, B"]),
        ("도함수 $f'(x)$는", ["f'(x)"]),
        ("약 $3.14$이다", ["3.14"]),
        (r"확률은 $50\%$이다", ["50%"]),
        ("삼각형 $ABC$의 넓이", ["ABC"]),
    ],
)
def test_a_formula_is_read_beside_particles(source: str, formulas: list[str]) -> None:
    assert marked(source, "math") == formulas


@pytest.mark.parametrize(
    ("source", "text", "address"),
    [
        ("https://example.kr에서", "https://example.kr", "https://example.kr"),
        ("https://example.kr이에요.", "https://example.kr", "https://example.kr"),
        ("https://example.kr:8080으로", "https://example.kr:8080", "https://example.kr:8080"),
        ("http://localhost:8080에서", "http://localhost:8080", "http://localhost:8080"),
        ("https://example.kr/에서", "https://example.kr/", "https://example.kr/"),
        ("https://example.kr/a?b=c를", "https://example.kr/a?b=c", "https://example.kr/a?b=c"),
        ("https://example.kr/a_b은", "https://example.kr/a_b", "https://example.kr/a_b"),
        ("https://example.kr/x.html이라는 곳", "https://example.kr/x.html", "https://example.kr/x.html"),
        ("https://example.kr/a뿐만 아니라", "https://example.kr/a", "https://example.kr/a"),
        ("https://example.kr/a이니까요", "https://example.kr/a", "https://example.kr/a"),
        ("https://example.kr/a이었습니다", "https://example.kr/a", "https://example.kr/a"),
        ("https://example.kr#top으로", "https://example.kr#top", "https://example.kr#top"),
        ("www.example.kr은", "www.example.kr", "http://www.example.kr"),
        ("example.com이에요", "example.com", "http://example.com"),
        ("https://한국.kr에서", "https://한국.kr", "https://xn--3e0b707e.kr"),
        ("https://a.kr/wiki/서울에서", "https://a.kr/wiki/서울", "https://a.kr/wiki/%EC%84%9C%EC%9A%B8"),
        ("**https://example.kr**에서", "https://example.kr", "https://example.kr"),
        ("https://a.kr/wiki/서울", "https://a.kr/wiki/서울", "https://a.kr/wiki/%EC%84%9C%EC%9A%B8"),
        ("https://a.kr/고속도로", "https://a.kr/고속도로", "https://a.kr/%EA%B3%A0%EC%86%8D%EB%8F%84%EB%A1%9C"),
        ("https://a.kr/2024이벤트", "https://a.kr/2024이벤트", "https://a.kr/2024%EC%9D%B4%EB%B2%A4%ED%8A%B8"),
        ("https://a.kr/가(나)", "https://a.kr/가(나)", "https://a.kr/%EA%B0%80(%EB%82%98)"),
        ("See https://example.com/a,b.", "https://example.com/a,b", "https://example.com/a,b"),
        ("(https://example.com)", "https://example.com", "https://example.com"),
    ],
)
def test_a_link_ends_before_a_particle(source: str, text: str, address: str) -> None:
    assert [(run.text, run.link) for run in runs(source) if run.link] == [(text, address)]
    assert shown(source) == source.replace("**", "")


@pytest.mark.parametrize("source", ["main.py를 실행", "README.md는 여기", "run setup.sh now", "node.js로", "3.5도에서"])
def test_the_name_of_a_file_is_no_link(source: str) -> None:
    assert not any(run.link for run in runs(source))


def test_a_text_with_many_addresses_is_not_read_again_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def noted(text: str) -> str:
        sizes.append(len(text))
        return without_particles(text)

    without_particles = dialect._without_particles
    monkeypatch.setattr(dialect, "_without_particles", noted)
    source = "https://a.example에서 " * 100
    links = [run for run in runs(source) if run.link]
    assert len(links) == 100
    assert sum(sizes) < 10 * len(source)
