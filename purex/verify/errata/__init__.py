"""The errata of the paper: what is false as printed, with counterexamples that run."""

from purex.verify.errata.catalogue import ERRATA, erratum
from purex.verify.errata.erratum import Demonstration, Erratum

__all__ = ["ERRATA", "Demonstration", "Erratum", "erratum"]
