"""Identity and order of rows across devices: UUIDv7, hybrid logical time. Imported by ``storage`` and ``sync``."""
