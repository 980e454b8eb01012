"""Makes reminders in a conversation: of what, when, how often, and the user's yes."""
