"""What this computer keeps of the user, how much of it, and how it is erased; and what is known of a fault."""
