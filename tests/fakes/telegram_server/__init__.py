"""A Bot API server on loopback, with the rules of Telegram's own (github.com/tdlib/telegram-bot-api)."""
