"""The user's files as Sori knows them: what was read of one, its passages, its project, and what an answer cites. Pure."""
