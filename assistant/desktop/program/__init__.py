"""The program itself: devices, shortcuts, about, and the diagnostics."""
