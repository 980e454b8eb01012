"""A project of another device in the list of projects."""

from pytestqt.qtbot import QtBot

from assistant.core.knowledge.files import Project
from assistant.core.service.requests.projects import ListProjects
from assistant.desktop.projects.project_list import ProjectList
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs


def test_a_project_without_files_here_says_so_and_asks_for_its_folder(qtbot: QtBot) -> None:
    connection = RecordedConnection()
    page = ProjectList(page_needs(connection, "ko"), lambda _: None)
    qtbot.addWidget(page)
    there = Project(id="a", name="휴가", workspace="default")
    here = Project(id="b", name="일", workspace="default", folders=("~/일",))
    connection.reply(ListProjects, (there, here))
    assert "이 컴퓨터에는 아직 파일이 없어요. 폴더를 더해 주세요" in page.describe(there)
    assert "이 컴퓨터에는" not in page.describe(here)
