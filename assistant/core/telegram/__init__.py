"""The Telegram door: its records, what keeps them, and the rules of the codes that link a chat. Pure."""
