"""What tools ask of the operating system: programs, the clipboard, other applications. One seam for each."""
