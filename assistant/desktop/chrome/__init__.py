"""What surrounds the conversation: state strip, notices, window menu, tray."""
