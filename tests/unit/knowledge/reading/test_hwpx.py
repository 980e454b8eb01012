"""What a reader sees of a Hangul document is in its text, in order, and nothing else is."""

import pytest

from assistant.knowledge.reading.hwpx import hwpx_text
from assistant.knowledge.reading.reader import UnreadableFileError
from tests.fakes.documents import hwpx_of, zipped


def p(*runs: str, form: str = "0") -> str:
    return f'<hp:p paraPrIDRef="{form}">{"".join(f"<hp:run>{each}</hp:run>" for each in runs)}</hp:p>'


def t(text: str) -> str:
    return f"<hp:t>{text}</hp:t>"


def cell(*blocks: str, column: int | None = None) -> str:
    address = "" if column is None else f'<hp:cellAddr colAddr="{column}" rowAddr="0"/>'
    return f"<hp:tc><hp:subList>{''.join(blocks)}</hp:subList>{address}</hp:tc>"


def table(*rows: tuple[str, ...], caption: str = "") -> str:
    return f"<hp:tbl>{caption}{''.join(f'<hp:tr>{chr(10).join(row)}</hp:tr>' for row in rows)}</hp:tbl>"


def beside(name: str, *blocks: str) -> str:
    return f"<hp:ctrl><hp:{name}><hp:subList>{''.join(blocks)}</hp:subList></hp:{name}></hp:ctrl>"


INNER = table((cell(p(t("시도"))), cell(p(t("서울")))), (cell(p(t("시군구"))), cell(p(t("중구")))))


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (p(t("안녕하세요."), t(" 반갑습니다.")), "안녕하세요. 반갑습니다."),
        (p(t("앞<hp:markpenBegin color='#FF0'/>칠한 말<hp:markpenEnd/>뒤")), "앞칠한 말뒤"),
        (p(t("이름<hp:tab width='4'/>값<hp:lineBreak/>다음<hp:nbSpace/>줄")), "이름\t값\n다음 줄"),
        (p(t("남은<hp:deleteBegin Id='1'/>지운<hp:deleteEnd Id='1'/> 말")), "남은 말"),
        (p(t("하나<hp:deleteBegin Id='1'/>둘")) + p(t("셋<hp:deleteEnd Id='1'/>넷")), "하나\n\n넷"),
        (
            p(table((cell(p(t("품목"))), cell(p(t("값")))), (cell(p(t("사과"))), cell(p(t("1,000원")), p(t("할인")))))),
            "| 품목 | 값 |\n| --- | --- |\n| 사과 | 1,000원 할인 |",
        ),
        (
            p(table((cell(p(t("지역"))), cell(p(INNER))))),
            "| 지역 | 시도 서울 시군구 중구 |\n| --- | --- |",
        ),
        (
            p(table((cell(p(t("a")), column=0), cell(p(t("b")), column=2)), (cell(p(t("c")), column=1),))),
            "| a |  | b |\n| --- | --- | --- |\n|  | c |  |",
        ),
        (p(table((cell(p(t("알림")), p(INNER)),))), "알림\n\n| 시도 | 서울 |\n| --- | --- |\n| 시군구 | 중구 |"),
        (
            p(table((cell(p(t("1"))), cell(p(t("2")))), caption=beside("caption", p(t("표 1. 수"))))),
            "표 1. 수\n\n| 1 | 2 |\n| --- | --- |",
        ),
        (p(beside("header", p(t("대외비"))), t("본문")), "본문\n\n대외비"),
        (p(beside("footer", p(t("1쪽")))), "1쪽"),
        (p(t("본문"), beside("footNote", p(t("각주예요.")))), "본문\n\n각주예요."),
        (p(t("본문"), beside("endNote", p(t("미주예요.")))), "본문\n\n미주예요."),
        (p(f"<hp:rect><hp:drawText><hp:subList>{p(t('글상자'))}</hp:subList></hp:drawText></hp:rect>"), "글상자"),
        (p("<hp:equation><hp:script>a over b</hp:script></hp:equation>"), "a over b"),
        (p("<hp:dutmal><hp:mainText>本文</hp:mainText><hp:subText>본문</hp:subText></hp:dutmal>"), "本文\n\n본문"),
        (p(t("보이는 말"), beside("hiddenComment", p(t("숨은 설명")))), "보이는 말"),
        (
            p(f"<hp:switch><hp:case>{table((cell(p(t('새것'))),))}</hp:case><hp:default>옛것</hp:default></hp:switch>"),
            "새것",
        ),
        (p(t("제목"), form="7") + p(t("본문")), "## 제목\n\n본문"),
    ],
)
def test_what_is_seen_is_read(body: str, wanted: str) -> None:
    header = '<hh:paraPr id="7"><hh:heading type="OUTLINE" level="1"/></hh:paraPr><hh:paraPr id="0"/>'
    assert hwpx_text(hwpx_of(body, header=header)) == (wanted, "", ())


def test_sections_follow_one_another_by_their_numbers() -> None:
    bodies = [p(t(f"{number}쪽")) for number in range(12)]
    assert hwpx_text(hwpx_of(*bodies))[0].split() == [f"{number}쪽" for number in range(12)]


@pytest.mark.parametrize(
    "content",
    [
        hwpx_of("<hp:p>"),
        zipped({"Contents/section0.xml": "no XML"}),
        zipped({"Contents/section0.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>'}),
        b"PK\x03\x04 no archive",
    ],
    ids=["open paragraph", "no XML", "open document", "no archive"],
)
def test_a_broken_document_is_called_broken(content: bytes) -> None:
    with pytest.raises(UnreadableFileError) as failure:
        hwpx_text(content)
    assert failure.value.reason == "broken"


HEADER = '<hh:head xmlns:hh="h"><hh:paraPr id="7"><hh:heading type="OUTLINE" level="0"/></hh:paraPr></hh:head>'
PACKAGE = '<opf:package xmlns:opf="o"><opf:title>휴가 규정</opf:title></opf:package>'
SECTION = f'<hs:sec xmlns:hs="s" xmlns:hp="p">{p(t("휴가"), form="7")}{p(t("연차는 15일이다."))}</hs:sec>'


@pytest.mark.parametrize(
    ("parts", "words", "title", "notes"),
    [
        ({}, "# 휴가\n\n연차는 15일이다.", "휴가 규정", ()),
        ({"header.xml": HEADER[:40]}, "휴가\n\n연차는 15일이다.", "휴가 규정", ("headings_lost",)),
        ({"header.xml": "no XML"}, "휴가\n\n연차는 15일이다.", "휴가 규정", ("headings_lost",)),
        ({"header.xml": ""}, "휴가\n\n연차는 15일이다.", "휴가 규정", ("headings_lost",)),
        ({"header.xml": None}, "휴가\n\n연차는 15일이다.", "휴가 규정", ()),
        ({"header.xml": HEADER.replace('"0"', '"x"')}, "휴가\n\n연차는 15일이다.", "휴가 규정", ()),
        ({"content.hpf": "<opf"}, "# 휴가\n\n연차는 15일이다.", "", ("title_lost",)),
        ({"content.hpf": ""}, "# 휴가\n\n연차는 15일이다.", "", ("title_lost",)),
        ({"content.hpf": None}, "# 휴가\n\n연차는 15일이다.", "", ()),
        (
            {"header.xml": "<", "content.hpf": "<"},
            "휴가\n\n연차는 15일이다.",
            "",
            ("headings_lost", "title_lost"),
        ),
        ({"section1.xml": "no XML"}, "# 휴가\n\n연차는 15일이다.", "휴가 규정", ("text_lost",)),
        ({"section1.xml": SECTION[:-40]}, "# 휴가\n\n연차는 15일이다.\n\n# 휴가", "휴가 규정", ("text_lost",)),
    ],
)
def test_a_broken_part_leaves_out_what_it_tells_alone_and_is_told(
    parts: dict[str, str | None], words: str, title: str, notes: tuple[str, ...]
) -> None:
    whole = {"header.xml": HEADER, "content.hpf": PACKAGE, "section0.xml": SECTION} | parts
    text, named, lost = hwpx_text(
        zipped({f"Contents/{name}": part for name, part in whole.items() if part is not None})
    )
    assert text.startswith(words)
    assert (named, lost) == (title, notes)


def test_entities_are_not_followed() -> None:
    hostile = '<!DOCTYPE s [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    hostile += "<s><p><run><t>본문 &f;</t></run></p></s>"
    assert "root" not in hwpx_text(zipped({"Contents/section0.xml": hostile}))[0]
