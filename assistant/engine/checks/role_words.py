"""Describes the work of each model for ``sori doctor`` and ``sori providers``."""

from assistant.agent.model_choice import ModelChoice, Roles
from assistant.core.texts import Texts


def roles_in_words(given: Roles, texts: Texts) -> list[tuple[str, str]]:
    """Pairs of a kind of work and its model; a single pair if one model does all work."""
    summaries = given.summaries or given.conversation
    if given.conversation == given.analysis == summaries:
        lines = [(texts("providers.role.all"), _named(given.conversation, texts))]
    else:
        lines = [
            (texts("providers.role.conversation"), _named(given.conversation, texts)),
            (texts("providers.role.analysis"), _named(given.analysis, texts)),
            (
                texts("providers.role.summaries"),
                texts("providers.role.whoever") if given.summaries is None else _named(summaries, texts),
            ),
        ]
    if given.fallbacks:
        lines.append((texts("providers.role.fallbacks"), ", ".join(_named(each, texts) for each in given.fallbacks)))
    return lines


def _named(choice: ModelChoice, texts: Texts) -> str:
    """The model's reference; a provider without a model stands for its only model."""
    return choice.reference if choice.model else texts("providers.role.only_model", provider=choice.provider.name)
