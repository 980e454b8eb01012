"""What somebody who is new to Sori is led through and offered."""
