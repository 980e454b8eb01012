"""Which messages ask that a file is kept in a project, and which only look so."""

import pytest

from assistant.core.telegram.filing import project_for_file


@pytest.mark.parametrize(
    ("text", "project"),
    [
        ("이 파일 프로젝트에 넣어 줘", ""),
        ("이 파일 프로젝트에 넣어줘", ""),
        ("이거 프로젝트에 추가해 주세요", ""),
        ("프로젝트에 넣어줘", ""),
        ("프로젝트에 이 파일 넣어 줘", ""),
        ("이 파일을 여행 프로젝트에 넣어 줘", "여행"),
        ("이 문서 ‘가을 여행’ 프로젝트에 저장해줘요.", "가을 여행"),
        ("여행 프로젝트에 추가해줘", "여행"),
        ("방금 보낸 사진도 집수리 프로젝트에 올려 줄래", "집수리"),
        ("이거 내 프로젝트에 보관해 줘!", ""),
        ("이 계약서 2026 이사 프로젝트에 담아 줘", "2026 이사"),
        ("여행 프로젝트에 이 사진 좀 넣어 주세요", "여행"),
        ("영수증 회사 프로젝트에 등록해 줘", "회사"),
        ("add this to my project", ""),
        ("Add this file to the project", ""),
        ("please put this document in my Travel project", "Travel"),
        ("Save it to the project Autumn trip", "Autumn trip"),
        ("could you add this file to the “House” project?", "House"),
        ("Put these files into the project called Tax 2026, please", "Tax 2026"),
        ("keep this in the project", ""),
        ("upload this pdf to the taxes project.", "taxes"),
    ],
)
def test_a_whole_request_is_understood(text: str, project: str) -> None:
    assert project_for_file(text) == project


@pytest.mark.parametrize(
    "text",
    [
        "",
        "이 파일 요약해 줘",
        "이 파일 프로젝트에 넣지 마",
        "이 파일 프로젝트에 넣을까?",
        "이 파일 프로젝트에 넣었어?",
        "프로젝트에서 이 파일 빼 줘",
        "이 파일 요약하고 프로젝트에 넣어 줘",
        "이 파일 요약해서 여행 프로젝트에 넣어 줘",
        "이 파일 프로젝트에 넣어 줘. 그리고 요약해 줘",
        "프로젝트에 넣는 방법 알려 줘",
        "여행 프로젝트에 뭐가 들어 있어?",
        "여행 프로젝트에 새 파일 만들어 줘",
        "add this to my calendar",
        "don't add this to my project",
        "add this to my project and summarise it",
        "summarise this and add it to the project",
        "what is in my project?",
        "remove this from the project",
        "should I add this to my project?",
        "add a new task to the project",
        "add this to my project, then tell me what it says",
    ],
)
def test_anything_else_is_left_to_the_model(text: str) -> None:
    assert project_for_file(text) is None
