"""What every format needs to read a reply: its end, its token counts, its tool arguments."""
