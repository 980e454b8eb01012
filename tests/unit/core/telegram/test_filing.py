"""Which messages ask that a file is kept in a project, and which only look so."""

import pytest

from assistant.core.telegram.filing import filing_wish


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
        ("이 파일 좀 프로젝트에 넣어줄래?", ""),
        ("혹시 이 파일 프로젝트에 넣어 줄 수 있어?", ""),
        ("첨부한 파일 프로젝트에 넣어 줘", ""),
        ("이 녹음 파일을 프로젝트에 추가해 줘", ""),
        ("이 사진들 다 가족 프로젝트에 올려줘", "가족"),
        ("add this to my project", ""),
        ("Please add the attached file to my project", ""),
        ("Add these photos to the Family project please", "Family"),
        ("save this file in my project, thanks", ""),
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
    wish = filing_wish(text)
    assert wish is not None
    assert wish.project([project] if project else []) == project


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("첨부한 파일 프로젝트에 넣어 줘", ""),
        ("첨부한 파일 여행 프로젝트에 넣어 줘", "여행"),
        ("소리야 이 파일 여행 프로젝트에 넣어 줘", "여행"),
        ("이 사진 가족사진 프로젝트에 넣어 줘", "가족사진"),
        ("가족사진 프로젝트에 넣어 줘", "가족사진"),
        ("이 파일 사진 프로젝트에 넣어 줘", None),
        ("이 파일 회사 프로젝트에 넣어 줘", None),
        ("회사 프로젝트에 넣어 줘", None),
        ("이 파일 겨울 여행 프로젝트에 넣어 줘", None),
        ("add this to my travel project", None),
        ("add this to my House project", "house"),
    ],
)
def test_only_a_project_that_is_named_whole_is_meant(text: str, meant: str | None) -> None:
    wish = filing_wish(text)
    assert wish is not None
    assert wish.project(["여행", "가족사진", "house"]) == meant


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
        "이 파일 여행 프로젝트에 넣고 요약해 줘",
        "이 파일 프로젝트에 넣는 게 좋을까?",
        "프로젝트에 넣어 달라고 했잖아",
        "add this to my calendar",
        "add the milk to my project",
        "keep this out of the project",
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
    assert filing_wish(text) is None
