"""Sources and sinks of sound: sound cards, and wav files that behave like one."""
