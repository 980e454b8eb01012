"""The Google format: generateContent."""
