"""The pages of the window of pages: one row each."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Final

from assistant.desktop.frame.page import MenuPage, Page, PageNeeds

# A page is imported when it is opened: a window that starts needs none of them.


def _settings(needs: PageNeeds) -> Page:
    from assistant.desktop.settings.settings_page import SettingsPage

    return SettingsPage(needs, page_names(), partial(needs.show, at=""))


def _page(module: str, name: str) -> Callable[[PageNeeds], Page]:
    """A page by its module below ``desktop`` and its class.

    It is named, not imported: a page may show what the conversation shows, which offers pages by their names.
    """

    def make(needs: PageNeeds) -> Page:
        made = getattr(import_module(f"assistant.desktop.{module}"), name)(needs)
        if not isinstance(made, Page):
            raise TypeError(f"{name} is no page")
        return made

    return make


FIRST_RUN: Final = "first_run"
"""The name under which ``MainWindow.show_page`` shows the first run, in a window of its own."""


PAGES: Final = (
    MenuPage("settings", "sori", "Ctrl+,", _settings, searches=True),
    MenuPage("models", "sori", "Ctrl+Shift+O", _page("models.models_page", "ModelsPage"), searches=True),
    MenuPage("tools", "sori", "Ctrl+Shift+L", _page("tools.tools_page", "ToolsPage"), searches=True),
    MenuPage("agents", "sori", "Ctrl+Shift+G", _page("agents.agents_page", "AgentsPage"), searches=True),
    MenuPage("names", "sori", "Ctrl+Shift+N", _page("names.names_page", "NamesPage")),
    MenuPage(
        "conversations",
        "yours",
        "Ctrl+Shift+B",
        _page("conversations.conversations_page", "ConversationsPage"),
        searches=True,
    ),
    MenuPage("projects", "yours", "Ctrl+Shift+J", _page("projects.projects_page", "ProjectsPage"), searches=True),
    MenuPage("people", "yours", "", _page("people.people_page", "PeoplePage"), searches=True),
    MenuPage("telegram", "yours", "", _page("telegram.telegram_page", "TelegramPage")),
    MenuPage("phone", "yours", "", _page("phone.phone_page", "PhonePage")),
    MenuPage("sync", "yours", "", _page("sync.sync_page", "SyncPage")),
    MenuPage("memory", "yours", "Ctrl+Shift+K", _page("memory.memory_page", "MemoryPage"), searches=True),
    MenuPage("schedule", "yours", "Ctrl+Shift+A", _page("schedule.schedule_page", "SchedulePage"), searches=True),
    MenuPage("privacy", "records", "Ctrl+Shift+P", _page("privacy.privacy_page", "PrivacyPage"), searches=True),
    MenuPage("audit", "records", "", _page("audit.audit_page", "AuditPage"), searches=True),
    MenuPage("usage", "records", "", _page("usage.usage_page", "UsagePage"), searches=True),
    MenuPage("traces", "records", "Ctrl+Shift+T", _page("traces.traces_page", "TracesPage"), searches=True),
    MenuPage("devices", "program", "", _page("program.devices_page", "DevicesPage")),
    MenuPage("shortcuts", "program", "Ctrl+/", _page("program.shortcuts_page", "ShortcutsPage"), searches=True),
    MenuPage("about", "program", "F1", _page("program.about_page", "AboutPage"), searches=True),
    MenuPage("diagnostics", "program", "", _page("program.diagnostics_page", "DiagnosticsPage"), searches=True),
)
"""In the order of the list, those of a group one after another."""


def page_names() -> frozenset[str]:
    """The names of all pages that ``MainWindow.show_page`` shows."""
    return frozenset({FIRST_RUN, *(each.name for each in PAGES)})
