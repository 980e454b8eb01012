"""Where a guided flow stands, in one line."""

from assistant.core.records.flows import FlowShown


def flow_line(flow: FlowShown) -> str:
    """The flow, its stage and its progress: ``이체 · 확인을 기다려요 · 1/3``."""
    progress = f"{flow.done}/{flow.total}" if flow.total > 1 else ""
    title = flow.title[:1].upper() + flow.title[1:]
    return " · ".join(filter(None, [title, flow.stage, progress]))
