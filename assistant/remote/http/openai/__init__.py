"""Chat and speech in the form of the OpenAI API, for programs that speak it."""
