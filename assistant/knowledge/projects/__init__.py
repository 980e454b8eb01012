"""Projects: their folders and files, what is read of them, and what is found in them (K-02)."""
