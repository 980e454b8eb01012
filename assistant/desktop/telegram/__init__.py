"""The page of Telegram: the bot, linked chats, and calls that wait for the user."""
