"""Conversations as files: Sori's own format, and the exports of ChatGPT and Claude."""
