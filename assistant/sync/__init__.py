"""The same conversations and memory on several devices. Imported by ``app`` only."""
