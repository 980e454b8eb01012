"""Guided flows: conversations that code leads, and in which a model only extracts and phrases (F-01 to F-07)."""
