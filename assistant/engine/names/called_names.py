"""What is known of the names by which agents are called."""

from collections.abc import Iterable

from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.chat.agents.enrolments import heard_as, own_words_in
from assistant.core.records.names import CalledName
from assistant.speech.text.names.common import confusable


def called_name(workspaces: Workspaces, agent: Agent, agents: Iterable[Agent]) -> CalledName:
    """How an agent is called, among the agents of its workspace. Uses the disk."""
    phrase = agent.file.wake_phrase.strip()
    if not phrase:
        return CalledName(agent=agent.id, title=agent.title)
    own = own_words_in(workspaces.own_words(agent.id))
    learnt = own is not None and own.phrase == phrase
    others = (each.file.wake_phrase.strip() for each in agents if each.id != agent.id)
    return CalledName(
        agent=agent.id,
        title=agent.title,
        phrase=phrase,
        enrolled=bool(agent.file.wake_spellings or workspaces.wake_sound(agent.id)),
        learnt=learnt,
        common=confusable(phrase),
        alike=heard_as(own.heard, filter(None, others)) if own is not None and learnt else (),
    )
