"""The Telegram door: direct messages to the user's bot, answered with a remote caller's rights (G)."""
