"""What the window does: pages, sending, models, shortcuts and the tray, each wired by the file of its name."""
