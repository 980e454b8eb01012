"""The conversation in a terminal: lines are typed, answers stream above them, commands begin with a slash."""
