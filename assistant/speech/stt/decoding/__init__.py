"""How Whisper decodes a sound on CTranslate2, and what is known before and after it."""
