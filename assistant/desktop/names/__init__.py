"""The names by which agents are called: shown, chosen, and learnt from the user's own voice."""
