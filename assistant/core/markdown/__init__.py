"""Parses Markdown into plain units that every front end draws: paragraphs, code, tables and rules."""
