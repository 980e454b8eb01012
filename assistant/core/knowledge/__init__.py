"""The user's files as Sori knows them: texts, passages, projects, and what an answer cites. Pure."""
