"""The domains of Telegram: the bot and its linked chats, and the calls that only the app may run."""
