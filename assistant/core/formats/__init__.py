"""How the user's files are written: TOML with line numbers, and the encodings of text. Pure."""
