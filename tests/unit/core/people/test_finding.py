import pytest

from assistant.core.people.finding import find_people, mentions
from assistant.core.records.people import Person


def person(name: str, relation: str = "", *aliases: str) -> Person:
    return Person(id=name, name=name, relation=relation, aliases=aliases)


PEOPLE = (
    person("박영희", "엄마"),
    person("김철수", "대리"),
    person("김민지", "동생", "밍"),
    person("이민지"),
    person("민지 엄마"),
    person("Minji Kim", "friend"),
    person("남궁민수", "팀장님"),
    person("Aunt May"),
    person("오수진"),
    person("John Smith", "boss"),
    person("최하은", "형"),
    person("김옥자", "외할머니"),
)


def matched(said: str) -> list[str]:
    return [each.name for each in find_people(said, PEOPLE).matches]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("엄마", "박영희"),
        ("어머니께", "박영희"),
        ("엄마한테서", "박영희"),
        ("우리 엄마한테는", "박영희"),
        ("울 엄마", "박영희"),
        ("my mom", "박영희"),
        ("Mom's", "박영희"),
        ("to my mother", "박영희"),
        ("김 대리님", "김철수"),
        ("김대리님한테", "김철수"),
        ("대리님", "김철수"),
        ("철수한테", "김철수"),
        ("철수랑", "김철수"),
        ("철수 씨에게", "김철수"),
        ("하은이 형", "최하은"),
        ("하은 형한테", "최하은"),
        ("김민지가", "김민지"),
        ("동생", "김민지"),
        ("동생 민지한테", "김민지"),
        ("little sister", "김민지"),
        ("밍이한테", "김민지"),
        ("민지 엄마한테", "민지 엄마"),
        ("minji", "Minji Kim"),
        ("Minji Kim's", "Minji Kim"),
        ("Kim Minji", "Minji Kim"),
        ("Mr. Smith", "John Smith"),
        ("my boss", "John Smith"),
        ("남궁 팀장님", "남궁민수"),
        ("팀장님께", "남궁민수"),
        ("민수 씨", "남궁민수"),
        ("aunt may", "Aunt May"),
        ("수진이한테", "오수진"),
        ("수진아", "오수진"),
        ("할머니", "김옥자"),
        ("grandma", "김옥자"),
        # As some systems write Hangul: each letter by itself.
        ("\u110e\u1165\u11af\u1109\u116e\u1112\u1161\u11ab\u1110\u1166", "김철수"),
    ],
)
def test_who_is_named_is_found_with_titles_and_particles(said: str, name: str) -> None:
    assert matched(said) == [name]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("민지", ["김민지", "이민지"]),
        ("민지한테", ["김민지", "이민지"]),
        ("김 씨", ["김철수", "김민지", "김옥자"]),
        ("brother", ["최하은", "김민지"]),
    ],
)
def test_all_are_given_back_whom_words_may_mean(said: str, names: list[str]) -> None:
    assert sorted(matched(said)) == sorted(names)
    assert find_people(said, PEOPLE).only is None


@pytest.mark.parametrize(
    "said",
    [
        *(
            "김 과장님",
            "철수 형",
            "민지 동생",
            "민지 아빠",
            "철수 엄마",
            "아빠",
            "시어머니",
            "외할아버지",
            "어머",
            "수진 대리",
        ),
        *("May", "his mom", "Jane Smith", "dad", "Minji's mom", "Mr. Brown", "", "  ", "한테", "우리", "님"),
    ],
)
def test_nobody_is_found_by_words_that_name_somebody_else(said: str) -> None:
    assert matched(said) == []


@pytest.mark.parametrize(
    ("said", "near"),
    [
        ("빈지", ["김민지", "이민지"]),
        ("박용희한테", ["박영희"]),
        ("Jon Smith", ["John Smith"]),
        ("남궁 민슈", ["남궁민수"]),
        ("철수 형", ["김철수"]),
        ("창호", []),
        ("Peter", []),
    ],
)
def test_who_is_nearly_named_is_offered_and_not_taken(said: str, near: list[str]) -> None:
    found = find_people(said, PEOPLE)
    assert found.matches == ()
    assert [each.name for each in found.near] == near


def test_who_sounds_alike_in_another_script_is_offered_by_the_sounds_that_are_given() -> None:
    read = {"민수": "MNS", "minsoo": "MNS"}
    found = find_people("민수", [person("Minsoo")], sounds=lambda name: read.get(name, name))
    assert [each.name for each in found.near] == ["Minsoo"]


def test_the_users_own_word_for_somebody_goes_before_what_it_may_mean_too() -> None:
    people = (person("박영희", "엄마"), person("이순자", "시어머니", "어머니"))
    assert [each.name for each in find_people("어머니께", people).matches] == ["이순자"]
    assert [each.name for each in find_people("엄마", people).matches] == ["박영희"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("엄마한테 오만 원 보내 줘", [("엄마한테", ["박영희"])]),
        ("철수랑 민지 엄마한테 삼만 원씩", [("철수랑", ["김철수"]), ("민지 엄마한테", ["민지 엄마"])]),
        ("김 대리님, 남궁 팀장님께 만 원", [("김 대리님", ["김철수"]), ("남궁 팀장님께", ["남궁민수"])]),
        ("send 50,000 won to John Smith and my mom", [("to John Smith", ["John Smith"]), ("my mom", ["박영희"])]),
        ("민지 생일이 언제야?", [("민지", ["김민지", "이민지"])]),
        ("어머 이게 뭐야", []),
        ("빈지한테 보내 줘", []),
        ("What is the weather?", []),
    ],
)
def test_the_places_of_a_text_that_name_somebody(text: str, places: list[tuple[str, list[str]]]) -> None:
    found = [(text[each.start : each.end], [who.name for who in each.people]) for each in mentions(text, PEOPLE)]
    assert found == places
