"""The settings while the engine runs: follows ``config.toml``, changes it, and lets the parts follow each change."""
