import pytest

from assistant.chat.agents.requests import SwitchRequest, Target, switch_request
from assistant.core.settings import Language

AGENT, WORKSPACE, EITHER = Target.AGENT, Target.WORKSPACE, Target.EITHER


@pytest.mark.parametrize(
    ("text", "target", "name"),
    [
        ("워크스페이스를 집으로 바꿔 줘", WORKSPACE, "집"),
        ("워크 스페이스를 우리 회사로 바꿔주세요.", WORKSPACE, "우리 회사"),
        ("집 워크스페이스로 전환해 줘", WORKSPACE, "집"),
        ("서울 작업 공간으로 가 줘", WORKSPACE, "서울"),
        ("에이전트를 코치로 바꿔 줄래?", AGENT, "코치"),
        ("달리기 코치 에이전트로 바꿔 줘!", AGENT, "달리기 코치"),
        ("코치 에이전트 불러 줘", AGENT, "코치"),
        ("코치로 바꿔 줘", EITHER, "코치"),
        ("코치 불러 줘", EITHER, "코치"),
        ("Switch to the Coach agent", AGENT, "Coach"),
        ("please switch the agent to Coach.", AGENT, "Coach"),
        ("Can you change the workspace to Home?", WORKSPACE, "Home"),
        ("switch to my home workspace", WORKSPACE, "home"),
        ("switch to Coach", EITHER, "Coach"),
        ("집으로 가자", None, ""),
        ("다른 에이전트로 바꿔 줘", None, ""),
        ("워크스페이스를 어떻게 바꿔?", None, ""),
        ("워크스페이스가 뭐야?", None, ""),
        ("How do I switch to another agent?", None, ""),
        ("let's go to Busan", None, ""),
        ("switch to the Coach agent, please", AGENT, "Coach"),
        ("don't switch to Coach", None, ""),
        ("에이전트를 코치로 바꾸지 마", None, ""),
        ("에이전트를 코치로 바꾸고 농담 하나 해 줘", None, ""),
    ],
)
def test_requests_are_recognised_by_their_whole_sentence(text: str, target: Target | None, name: str) -> None:
    language: Language = "ko" if any("가" <= each <= "힣" for each in text) else "en"
    wanted = None if target is None else SwitchRequest(target=target, name=name, language=language)
    assert switch_request(text) == wanted
