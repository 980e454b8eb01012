"""Speech recognisers, one per file, and the judgement of their transcripts."""
