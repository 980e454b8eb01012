"""The database, its migrations, and files that are replaced whole. Imported by ``chat``, ``voice`` and ``app``."""
