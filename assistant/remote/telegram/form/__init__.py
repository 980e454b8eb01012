"""The form of what is sent to a chat: text with entities, in parts that Telegram takes, without what is private."""
