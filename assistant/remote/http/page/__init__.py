"""What the web page needs besides the API: its files, and answers as HTML."""
