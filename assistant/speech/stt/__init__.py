"""Speech recognisers, one a file, and the judgement of what they return."""
