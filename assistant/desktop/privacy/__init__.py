"""What left this computer, what is kept on it, and what is on."""
