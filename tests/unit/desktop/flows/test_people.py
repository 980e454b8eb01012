"""What a person does with the page of people in the window, with the real engine."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from assistant.desktop.frame.pages_window import PagesWindow
from assistant.desktop.people.people_page import PeopleList, PeoplePage
from tests.unit.desktop.flows.conftest import Person

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]

CARD = "BEGIN:VCARD\nVERSION:3.0\nFN:Minji Kim\nTEL:010-2\nEND:VCARD\n"


def people_of(person: Person) -> PeopleList:
    person.window.show_page("people")
    (pages,) = (each for each in person.window.pages.open if isinstance(each, PagesWindow))
    page = pages.shown_page
    assert isinstance(page, PeoplePage)
    assert isinstance(page.part, PeopleList)
    return page.part


def names(part: PeopleList) -> list[str]:
    return [each.title for each in part.list.model.rows]


def fill(part: PeopleList, **values: str) -> None:
    for name, value in values.items():
        part.form.fields[name].setText(value)


def choose(part: PeopleList, name: str) -> None:
    part.list.choose(next(each.key for each in part.list.model.rows if each.title == name))


def test_somebody_is_added_changed_found_removed_and_restored(person: Person) -> None:
    part = people_of(person)
    part.buttons[0].click()
    assert part.window().focusWidget() is part.form.fields["name"]
    fill(part, name="박영희", relation="엄마", birthday="3월 4일", aliases="울 엄마, 여사님")
    part.form.more.click()
    part.form.accounts[0].bank.setText("국민")
    part.form.accounts[0].number.setText("123-45-678901")
    part.form.save.click()
    person.until(lambda: "3월 4일" in part.form.trouble.text())
    fill(part, birthday="1962-03-04")
    QTest.keyClick(part.form.fields["birthday"], Qt.Key.Key_Return)
    person.until(lambda: names(part) == ["박영희"])
    assert not part.form_area.isVisible()

    choose(part, "박영희")
    assert "•••-••-••8901" in part.list.words.toPlainText()
    part.list.buttons["numbers"].click()
    person.until(lambda: "123-45-678901" in part.list.words.toPlainText())
    QTest.keyClick(part.list.view, Qt.Key.Key_F2)
    person.until(part.form_area.isVisible)
    assert part.form.accounts[0].number.text() == "123-45-678901"
    assert part.form.fields["aliases"].text() == "울 엄마, 여사님"
    part.form.accounts[0].drop.click()
    part.form.note.setPlainText("전화보다 문자")
    part.form.save.click()
    person.until(lambda: not part.form_area.isVisible() and bool(names(part)))
    person.until(lambda: "전화보다 문자" in part.describe(part.list.model.rows[0].record))

    part.search("여사")
    assert names(part) == ["박영희"]
    part.search("아빠")
    assert names(part) == []
    part.search("")
    choose(part, "박영희")
    QTest.keyClick(part.list.view, Qt.Key.Key_Delete)
    person.until(lambda: names(part) == [])
    part.told.yes.click()
    person.until(lambda: names(part) == ["박영희"])


def test_contacts_are_imported_and_exported_as_files(person: Person, tmp_path: Path) -> None:
    part = people_of(person)
    source, target = tmp_path / "in.vcf", tmp_path / "out.vcf"
    source.write_text(CARD, encoding="utf-8")
    part.buttons[1].click()
    (dialog,) = (each for each in part.window().findChildren(QFileDialog) if each.isVisible())
    dialog.fileSelected.emit(str(source))
    dialog.close()
    person.until(lambda: names(part) == ["Minji Kim"])
    part.take_file(source)
    person.until(lambda: "There already: 1" in part.told.words.text())
    part.take_file(tmp_path / "missing.vcf")
    assert "missing.vcf" in part.told.words.text()
    part.buttons[2].click()
    person.until(lambda: any(each.isVisible() for each in part.findChildren(QFileDialog)))
    (dialog,) = (each for each in part.findChildren(QFileDialog) if each.isVisible())
    dialog.fileSelected.emit(str(target))
    dialog.close()
    person.until(lambda: target.exists() and "END:VCARD" in target.read_text(encoding="utf-8"))
    assert "FN:Minji Kim" in target.read_text(encoding="utf-8")


def test_a_form_that_is_left_changes_nothing(person: Person) -> None:
    part = people_of(person)
    part.buttons[0].click()
    fill(part, name="철수")
    part.form.cancel.click()
    assert part.list.isVisible()
    assert names(part) == []
    part.buttons[0].click()
    assert part.form.fields["name"].text() == ""
