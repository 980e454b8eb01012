"""Parts of reading a reply that all formats share: its end, token counts and tool arguments."""
