"""The voice session at run time: it performs the machine's effects; a listener hears and a speaker speaks."""
