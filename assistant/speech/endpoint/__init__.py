"""When an utterance is over: the end-of-turn model and the policy that combines evidence."""
