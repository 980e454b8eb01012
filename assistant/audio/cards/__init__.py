"""Where sound comes from and goes to: sound cards, and wav files that behave like one."""
