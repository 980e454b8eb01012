"""Requests for the Telegram door: setting it up, linking chats, and the calls that only the app may run."""
