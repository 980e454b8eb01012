"""The pages of the window of pages: one row each."""

from functools import partial
from typing import Final

from assistant.desktop.frame.page import MenuPage, Page, PageNeeds

# A page is imported when it is opened: a window that starts needs none of them.


def _settings(needs: PageNeeds) -> Page:
    from assistant.desktop.settings.settings_page import SettingsPage

    return SettingsPage(needs, page_names(), partial(needs.show, at=""))


def _models(needs: PageNeeds) -> Page:
    from assistant.desktop.models.models_page import ModelsPage

    return ModelsPage(needs)


def _names(needs: PageNeeds) -> Page:
    from assistant.desktop.names.names_page import NamesPage

    return NamesPage(needs)


def _memory(needs: PageNeeds) -> Page:
    from assistant.desktop.memory.memory_page import MemoryPage

    return MemoryPage(needs)


def _privacy(needs: PageNeeds) -> Page:
    from assistant.desktop.privacy.privacy_page import PrivacyPage

    return PrivacyPage(needs)


def _traces(needs: PageNeeds) -> Page:
    from assistant.desktop.traces.traces_page import TracesPage

    return TracesPage(needs)


def _conversations(needs: PageNeeds) -> Page:
    from assistant.desktop.conversations.conversations_page import ConversationsPage

    return ConversationsPage(needs)


FIRST_RUN: Final = "first_run"
"""The name under which ``MainWindow.show_page`` shows the first run, in a window of its own."""


def _schedule(needs: PageNeeds) -> Page:
    from assistant.desktop.schedule.schedule_page import SchedulePage

    return SchedulePage(needs)


def _usage(needs: PageNeeds) -> Page:
    from assistant.desktop.usage.usage_page import UsagePage

    return UsagePage(needs)


def _audit(needs: PageNeeds) -> Page:
    from assistant.desktop.audit.audit_page import AuditPage

    return AuditPage(needs)


def _devices(needs: PageNeeds) -> Page:
    from assistant.desktop.program.devices_page import DevicesPage

    return DevicesPage(needs)


def _shortcuts(needs: PageNeeds) -> Page:
    from assistant.desktop.program.shortcuts_page import ShortcutsPage

    return ShortcutsPage(needs)


def _about(needs: PageNeeds) -> Page:
    from assistant.desktop.program.about_page import AboutPage

    return AboutPage(needs)


def _diagnostics(needs: PageNeeds) -> Page:
    from assistant.desktop.program.diagnostics_page import DiagnosticsPage

    return DiagnosticsPage(needs)


PAGES: Final = (
    MenuPage("settings", "sori", "Ctrl+,", _settings, searches=True),
    MenuPage("models", "sori", "Ctrl+Shift+O", _models, searches=True),
    MenuPage("names", "sori", "Ctrl+Shift+N", _names),
    MenuPage("conversations", "yours", "Ctrl+Shift+B", _conversations, searches=True),
    MenuPage("memory", "yours", "Ctrl+Shift+E", _memory, searches=True),
    MenuPage("schedule", "yours", "Ctrl+Shift+A", _schedule, searches=True),
    MenuPage("privacy", "records", "Ctrl+Shift+P", _privacy, searches=True),
    MenuPage("audit", "records", "Ctrl+Shift+U", _audit, searches=True),
    MenuPage("usage", "records", "", _usage, searches=True),
    MenuPage("traces", "records", "Ctrl+Shift+T", _traces, searches=True),
    MenuPage("devices", "program", "", _devices),
    MenuPage("shortcuts", "program", "Ctrl+/", _shortcuts, searches=True),
    MenuPage("about", "program", "F1", _about, searches=True),
    MenuPage("diagnostics", "program", "", _diagnostics, searches=True),
)
"""In the order of the list, those of a group one after another."""


def page_names() -> frozenset[str]:
    """The names of all pages that ``MainWindow.show_page`` shows."""
    return frozenset({FIRST_RUN, *(each.name for each in PAGES)})
