"""Checksums of files of kernels: against accidents, not against malice."""

from __future__ import annotations

import hashlib

DIGITS = 32  # of a checksum: against accidents, 128 bits are plenty


def checksum(content: bytes) -> str:
    """The checksum of a content, as text.

    >>> checksum(b"kernel")[:8]
    '6923dd1b'
    """
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def sealed(content: bytes) -> bytes:
    """A content that begins with its checksum."""
    return checksum(content).encode() + content


def opened(content: bytes) -> bytes | None:
    """What was sealed, or None if it is damaged.

    >>> opened(sealed(b"kernel")), opened(sealed(b"kernel")[:-1])
    (b'kernel', None)
    """
    inside = content[DIGITS:]
    return inside if checksum(inside).encode() == content[:DIGITS] else None
