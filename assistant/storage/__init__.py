"""What is kept on disk: database, migrations, conversations. Imported by ``chat``, ``voice`` and ``app``."""
