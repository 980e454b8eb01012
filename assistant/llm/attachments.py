"""What is told to a model in place of an attachment that its API cannot carry (P-12)."""

from assistant.llm.backend import Attachment


def not_shown(attachment: Attachment) -> str:
    """One sentence that names what was left out."""
    name = f" {attachment.name}" if attachment.name else ""
    return f"[The attached file{name} ({attachment.mime_type}) cannot be shown to you.]"
