"""The first run: seven short steps that lead a new user through what matters (D-02)."""
