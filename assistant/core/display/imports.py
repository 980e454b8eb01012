"""What an import of conversations has done, in the user's words."""

from assistant.core.service.requests.conversations import ImportedConversations
from assistant.core.texts import Texts


def import_report(done: ImportedConversations, texts: Texts) -> list[str]:
    """What was taken, and what was not and why; one line for each fact."""
    nothing = done.failure and not done.added
    lines = [] if nothing else [texts("conversations.imported", count=done.added, messages=done.messages)]
    counts = {name: getattr(done, name) for name in ("known", "grown", "empty", "left_out")}
    lines += [texts(f"conversations.import_{name}", count=count) for name, count in counts.items() if count]
    if done.unknown:
        lines.append(texts("conversations.import_unknown", count=len(done.unknown), place=done.unknown[0]))
    return [*lines, *(texts("conversations.import_invalid", place=place) for place in done.invalid)]
