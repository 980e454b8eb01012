"""Other ways in than the desktop: Telegram and HTTP. Imported by ``app`` only."""
