"""Which requests of the engine are at which address."""

from typing import Final

from assistant.core.records.egress import DataClass
from assistant.core.service.request import Right
from assistant.core.service.requests import (
    agents,
    conversations,
    kept,
    mcp,
    memory,
    models,
    projects,
    records,
    settings,
    timers,
    turns,
    voice,
)
from assistant.remote.http.operations import Operation, asks

_MESSAGES = (DataClass.CONVERSATION, DataClass.TOOL_RESULT)
_TEXTS = (DataClass.DOCUMENT,)
_ONE = "/v1/conversations/{conversation}"
_PROJECT = "/v1/projects/{project}"
_FILE = "/v1/project-files/{file}"

ROUTES: Final[tuple[Operation, ...]] = (
    asks("GET", "/v1/conversations", conversations.ListConversations, wrapped="conversations", data=_MESSAGES),
    asks("POST", "/v1/conversations", conversations.CreateConversation, wrapped="conversation", status=201),
    asks("PATCH", _ONE, conversations.RenameConversation, right=Right.MANAGE),
    asks("DELETE", _ONE, conversations.DeleteConversation, right=Right.MANAGE),
    asks("POST", f"{_ONE}/restore", conversations.RestoreConversation, right=Right.MANAGE),
    asks("POST", f"{_ONE}/open", conversations.OpenConversation, right=Right.MANAGE),
    asks("GET", f"{_ONE}/messages", conversations.LoadMessages, data=_MESSAGES),
    asks("GET", f"{_ONE}/export", conversations.ExportConversation, wrapped="text", data=_MESSAGES),
    asks("GET", f"{_ONE}/tools", agents.ListTools, wrapped="tools"),
    asks("POST", "/v1/files/check", models.CheckFiles, wrapped="warnings"),
    asks("POST", "/v1/files/prepare", turns.PrepareFile),
    asks("PUT", f"{_ONE}/model", models.ChooseModel, right=Right.MANAGE),
    asks(
        "GET",
        f"{_ONE}/messages/{{message}}/versions",
        conversations.ListVersions,
        wrapped="messages",
        data=_MESSAGES,
    ),
    asks("POST", f"{_ONE}/messages/{{message}}/show", conversations.ShowVersion),
    asks(
        "POST",
        f"{_ONE}/messages/{{message}}/branch",
        conversations.BranchConversation,
        wrapped="conversation",
        status=201,
    ),
    asks("DELETE", f"{_ONE}/messages/{{message}}", conversations.DeleteMessage, right=Right.MANAGE),
    asks("POST", "/v1/deletions/{deletion}/restore", conversations.RestoreMessages, right=Right.MANAGE),
    asks("GET", f"{_ONE}/project", projects.ConversationProject, wrapped="project"),
    asks("PUT", f"{_ONE}/project", projects.ChooseProject, wrapped="project", right=Right.MANAGE),
    asks("GET", "/v1/projects", projects.ListProjects, wrapped="projects"),
    asks("POST", "/v1/projects", projects.AddProject, status=201),
    asks("GET", _PROJECT, projects.ShowProject),
    asks("PATCH", _PROJECT, projects.RenameProject),
    asks("DELETE", _PROJECT, projects.RemoveProject),
    asks("POST", f"{_PROJECT}/restore", projects.RestoreProject, wrapped="restored"),
    asks("GET", f"{_PROJECT}/files", projects.ListFiles, wrapped="files"),
    asks("POST", f"{_PROJECT}/files", projects.AddFile, status=201),
    asks("POST", f"{_PROJECT}/retry", projects.RetryFiles, wrapped="files"),
    asks("POST", f"{_PROJECT}/search", projects.SearchFiles, wrapped="passages", data=_TEXTS),
    asks("GET", _FILE, projects.ShowFile, data=_TEXTS),
    asks("DELETE", _FILE, projects.RemoveFile),
    asks("GET", "/v1/memory", memory.ListFacts, wrapped="facts", data=(DataClass.FACTS,)),
    asks("POST", "/v1/memory/undo", memory.UndoMemory, wrapped="change", data=(DataClass.FACTS,), right=Right.MANAGE),
    asks("POST", "/v1/memory/facts", memory.RememberFact, data=(DataClass.FACTS,), right=Right.MANAGE),
    asks("POST", "/v1/memory/find", memory.FindFacts, data=_MESSAGES),
    asks("POST", "/v1/memory/forget", memory.ForgetFacts, wrapped="facts", data=(DataClass.FACTS,), right=Right.MANAGE),
    asks("GET", "/v1/workspaces", agents.ListWorkspaces, wrapped="workspaces"),
    asks("POST", "/v1/agents/switch", agents.SwitchAgent, wrapped="name", right=Right.MANAGE),
    asks("POST", "/v1/weights/{model}/fetch", models.FetchModel),
    asks("POST", "/v1/weights/{model}/pause", models.PauseFetch),
    asks("DELETE", "/v1/weights/{model}", models.RemoveModel),
    asks("GET", "/v1/mcp", mcp.ListMcpServers),
    asks("POST", "/v1/mcp/{server}/restart", mcp.RestartMcpServer),
    asks("GET", "/v1/timers", timers.ListTimers, wrapped="timers"),
    asks("POST", "/v1/timers/dismiss", timers.DismissTimers, right=Right.MANAGE),
    asks("POST", "/v1/timers/snooze", timers.SnoozeTimers, wrapped="snoozed"),
    asks("DELETE", "/v1/timers/{timer}", timers.CancelTimer, right=Right.MANAGE),
    asks("PATCH", "/v1/timers/{timer}", timers.ChangeTimer, right=Right.MANAGE),
    asks("POST", "/v1/timers/{timer}/skip", timers.SkipTimer, right=Right.MANAGE),
    asks("POST", "/v1/timers/{timer}/undo", timers.UndoTimer, wrapped="undone", right=Right.MANAGE),
    asks("GET", "/v1/schedule", timers.ListSchedule, wrapped="items"),
    asks("GET", "/v1/usage", records.ListUsage, wrapped="exchanges"),
    asks("GET", "/v1/traces", records.ListTraces, wrapped="traces", data=(DataClass.CONVERSATION,)),
    asks("GET", "/v1/traces/{number}", records.FindTrace, wrapped="trace", data=(DataClass.CONVERSATION,)),
    asks("GET", "/v1/calls", records.ListCalls, wrapped="calls", data=_MESSAGES),
    asks("GET", "/v1/calls/{number}", records.FindCall, wrapped="call", data=_MESSAGES),
    asks("GET", "/v1/egress", records.ListEgress, wrapped="requests"),
    asks("GET", "/v1/kept", kept.ListKept, wrapped="kept"),
    asks("GET", "/v1/status", voice.ShowStatus),
    asks("POST", "/v1/voice/stop", voice.Stop, right=Right.MANAGE),
    asks("POST", "/v1/voice/read", voice.ReadAloud),
    asks("POST", "/v1/voice/reading/{step}", voice.SteerReading),
    asks("GET", "/v1/settings", settings.ListSettings),
    asks("GET", "/v1/settings/{name}", settings.GetSetting),
    asks("PUT", "/v1/settings/{name}", settings.SetSetting),
    asks("DELETE", "/v1/settings/{name}", settings.ResetSetting),
)
"""The requests that a caller may send. A request that is not here cannot be sent over HTTP."""
