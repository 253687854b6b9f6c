"""``python -m purex.verify.errata`` prints docs/errata.md."""

from purex.verify.errata.page import page

print(page(), end="")
