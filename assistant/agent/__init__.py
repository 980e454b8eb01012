"""What any agent needs to think: attempts, one inference, the tool loop, the context. Imports tools and below."""
