"""What the numbers of a problem mean where its divergences are those of the hardest law in a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from purex.families import Arms


def hardest_law_field(arms: Arms) -> dict[str, Any]:
    """For the JSON of a command: `hardest_law`, the arms that may need fewer samples, if there are any."""
    inexact = [k for k, family in enumerate(arms.families) if not family.is_exact]
    return {"hardest_law": inexact} if inexact else {}


def hardest_law_sentence(arms: Arms) -> str | None:
    """One sentence for the text, or None where every divergence is that of the arm's own law.

    >>> from purex.families import Arms, Bernoulli, Bounded
    >>> text = hardest_law_sentence(Arms([Bounded(), Bernoulli()]))
    >>> text.partition(":")[0]
    'The numbers of bounded arms are those of the hardest law in the class'
    """
    names = [family.name.partition("(")[0] for family in arms.families if not family.is_exact]
    if not names:
        return None
    return (
        f"The numbers of {', '.join(dict.fromkeys(names))} arms are those of the hardest law in the class: "
        "a law of smaller variance\nmay need fewer samples than a lower bound here says."
    )
