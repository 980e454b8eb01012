"""``sori chat``: one message and one answer."""
