"""The engine: all parts except the doors, on one loop."""

import asyncio
import gc
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assistant.chat.agents.calling import AgentCalls
from assistant.chat.alarms.changes import TimerChanges
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import InteractionState
from assistant.core.records.agents import AgentId
from assistant.core.texts import Texts
from assistant.engine.approving.servers import Servers
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.domains.agents import Agents, AgentTools
from assistant.engine.domains.completions import Completions
from assistant.engine.domains.conversations import Conversations, first_conversation
from assistant.engine.domains.dictation import Dictating
