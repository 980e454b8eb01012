"""Sori's own llama.cpp server, and the prompt states that it keeps on disk."""
