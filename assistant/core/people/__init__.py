"""The people whom the user knows: finding one by what was said, and reading what is written of them. Pure."""
