"""Which tools a model is offered: the baseline always, the others after a search and for a while (X-12). Pure.

Imported by ``runner``.
"""
