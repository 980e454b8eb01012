"""Sori's own llama.cpp server, and what it keeps of what it has read."""
