import pytest

from assistant.core.people.vcard import read_people, write_people
from assistant.core.records.people import BankAccount, Person

MOTHER = Person(
    name="박영희; 어머니",
    relation="엄마",
    aliases=("울 엄마", "a, b"),
    accounts=(
        BankAccount(bank="국민", number="123-45-678901"),
        BankAccount(bank="신한", number="110", holder="김;철수"),
    ),
    phone="010-1234-5678",
    email="mother@example.com",
    birthday="--03-04",
    note="첫 줄\n둘째 줄, 그리고 \\n 은 글자예요. " + "아주 긴 줄" * 30,
)


def test_what_is_written_is_read_the_same() -> None:
    people = (MOTHER, Person(name="Minji Kim", birthday="1999-12-31"))
    text = write_people(people)
    assert read_people(text) == (people, 0)
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    assert "BDAY:--0304\r\n" in text
    assert "BDAY:19991231\r\n" in text


# As programs write them: a phone of version 2.1, Google Contacts, iCloud with groups and a folded picture.
PHONE = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=EA=B9=80;=EC=B2=A0=EC=88=98;;;
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=EA=B9=80=
=EC=B2=A0=EC=88=98
TEL;CELL:010-1111-2222
TEL;HOME:02-333-4444
END:VCARD
"""
GOOGLE = """BEGIN:VCARD\r
VERSION:3.0\r
FN:Minji Kim\r
N:Kim;Minji;;;\r
EMAIL;TYPE=INTERNET;TYPE=WORK:minji@example.com\r
BDAY:1990-05-06\r
NOTE:Likes tea\\, not coffee\\nAllergic to nuts\r
CATEGORIES:myContacts\r
END:VCARD\r
"""
CLOUD = """\ufeffBEGIN:VCARD
VERSION:3.0
N:오;수진;;;
item1.TEL;type=pref:+82 10 5555 6666
item1.X-ABLabel:_$!<Mobile>!$_
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ
 SkZJRgABAQ
BDAY;X-APPLE-OMIT-YEAR=1604:1604-07-08
END:VCARD
"""


@pytest.mark.parametrize(
    ("text", "person"),
    [
        (PHONE, Person(name="김철수", phone="010-1111-2222")),
        (
            GOOGLE,
            Person(
                name="Minji Kim",
                email="minji@example.com",
                birthday="1990-05-06",
                note="Likes tea, not coffee\nAllergic to nuts",
            ),
        ),
        (CLOUD, Person(name="오수진", phone="+82 10 5555 6666", birthday="--07-08")),
        (
            "BEGIN:VCARD\nVERSION:4.0\nFN:Ann\nTEL;VALUE=uri:tel:+1-555\nEMAIL:a@b.c\nBDAY:19620304T000000Z\nEND:VCARD",
            Person(name="Ann", phone="+1-555", email="a@b.c", birthday="1962-03-04"),
        ),
        ("begin:vcard\nversion:3.0\nfn:Ann\nbday:spring\nend:vcard", Person(name="Ann")),
        ("BEGIN:VCARD\nVERSION:3.0\nN:Smith;John;;;\nEND:VCARD", Person(name="John Smith")),
        ("BEGIN:VCARD\nVERSION:3.0\nORG:Acme;Sales\nEND:VCARD", Person(name="Acme Sales")),
    ],
)
def test_cards_of_other_programs_are_read(text: str, person: Person) -> None:
    assert read_people(text) == ((person,), 0)


@pytest.mark.parametrize(
    ("text", "count", "nameless"),
    [
        ("", 0, 0),
        ("hello: world\n", 0, 0),
        ("BEGIN:VCARD\nVERSION:3.0\nTEL:1\nEND:VCARD\n" + GOOGLE, 1, 1),
        ("BEGIN:VCARD\nFN:cut off", 0, 0),
    ],
)
def test_what_names_nobody_is_counted_and_left_out(text: str, count: int, nameless: int) -> None:
    people, left = read_people(text)
    assert (len(people), left) == (count, nameless)
