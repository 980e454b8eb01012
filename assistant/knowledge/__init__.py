"""The user's files: index, retrieval, citations. Imported by ``chat`` and above."""
