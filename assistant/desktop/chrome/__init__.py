"""The parts around the conversation: state strip, notices, window menu, tray."""
