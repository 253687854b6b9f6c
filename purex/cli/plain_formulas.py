"""Formulas for the terminal: LaTeX in words, and text in lines of at most 80 columns."""

from __future__ import annotations

import re
from textwrap import fill

WIDTH = 80
ARGUMENT = r"\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\]))"  # of a command: in braces, or a single sign
BEGIN, END = "\x01", "\x02"  # of a word: a space beside letters, nothing beside signs
OPEN, CLOSE = "\x03", "\x04"  # braces that are to be shown
SIGNS = {
    "le": "<=", "ge": ">=", "ne": "!=", "to": "->", "Rightarrow": "=>", "implies": "=>", "iff": "<=>",
    "sim": "~", "pm": "+-", "cdot": "*", "times": "*", "dots": "...", "ldots": "...", "top": "T",
    "infty": "infinity", "neg": "not", "forall": "for all", "subseteq": "within", "cup": "union",
    "varepsilon": "epsilon", "ell": "l", "imath": "i", "partial": "d", "lceil": "ceil(", "rceil": ")",
}  # fmt: skip


def plain(text: str) -> str:
    r"""A text whose formulas, between dollar signs, are written in words.

    >>> print(plain(r"at most $\sum_k N^k d(\hat\mu^k, \mu^k) \le \ln\frac{2t}{\delta}$ at all times"))
    at most sum_k N^k d(hat(mu)^k, mu^k) <= ln((2t)/delta) at all times
    """
    return re.sub(r"\$([^$]+)\$", lambda found: plain_formula(found[1]), text)


def plain_formula(latex: str) -> str:
    r"""A formula in words and signs of the keyboard.

    >>> plain_formula(r"\inf_{w} \min_k (N_n^k - W_n^k) = -(K-1)")
    'inf_w min_k (N_n^k - W_n^k) = -(K-1)'
    >>> plain_formula(r"P\Big(\exists t:\ Z_t > \tfrac12\sqrt{2\ln(1/\delta)}\Big) \le \delta")
    'P(exists t: Z_t > 1/2 sqrt(2 ln(1/delta))) <= delta'
    """
    text = re.sub(r"\\(left|right|[bB]igg?)(?![A-Za-z])", "", latex)
    text = re.sub(r"\\(?:q?quad(?![A-Za-z])|[,;:! ])", " ", text)
    text = text.replace(r"\{", OPEN).replace(r"\}", CLOSE).replace(r"\|", "||").replace("~", " ")
    before = None
    while text != before:  # from the inside out
        before = text
        text = re.sub(rf"(\\(?:ln|log|exp)\s*)?\\[td]?frac{ARGUMENT}{ARGUMENT}", _fraction, text)
        text = re.sub(rf"\\(?:text|math[a-z]+|operatorname){ARGUMENT}", _inside, text)
        text = re.sub(rf"\\(?:overline|bar){ARGUMENT}", lambda m: _word(f"bar({_inside(m)})"), text)
        text = re.sub(rf"\\(sqrt|hat|tilde){ARGUMENT}", lambda m: _word(f"{m[1]}({m[2] or m[3]})"), text)
        text = re.sub(r"([_^])\s*\{([^{}]*)\}", lambda m: m[1] + _joined(m[2]), text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: _word(SIGNS.get(m[1], m[1])), text)
    text = re.sub(rf"(?<=[^\W_]){BEGIN}|(?<=\)){BEGIN}|{END}{BEGIN}?(?=[^\W_])", " ", text)
    text = re.sub(rf"[{BEGIN}{END}{{}}\\]", "", text).replace(OPEN, "{").replace(CLOSE, "}")
    return re.sub(r"(?<=\() | (?=\))", "", re.sub(r"\s+", " ", text)).strip()


def _word(text: str) -> str:
    return f"{BEGIN}{text}{END}"


def _inside(found: re.Match[str]) -> str:
    """The argument of a command, in braces or not."""
    return str(found[1] or found[2])


def _fraction(found: re.Match[str]) -> str:
    """A fraction, in brackets where a function is taken of it."""
    text = f"{_joined(found[2] or found[3])}/{_joined(found[4] or found[5])}"
    return f"{found[1]}({text})" if found[1] else _word(text)


def _joined(text: str) -> str:
    """A part in brackets, unless it is one word or number."""
    text = text.strip()
    return (
        text
        if re.fullmatch(rf"\\?[\w*{BEGIN}{END}]+", text) and not re.match(r"\d+[A-Za-z]", text)
        else f"({text})"
    )


def wrapped(text: str, width: int = WIDTH) -> str:
    r"""Paragraphs and lists in lines that end between words; what is indented or a doctest stays as it is.

    >>> print(wrapped("one two three\n\n- four five\n- six", 10))
    one two
    three
    <BLANKLINE>
    - four
      five
    - six
    """
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith((">>>", " ")):
            blocks.append(block)
            continue
        items = re.split(r"\n(?=- )", block)
        blocks.append(
            "\n".join(
                fill(" ".join(item.split()), width, subsequent_indent="  " * item.startswith("- "),
                     break_on_hyphens=False, break_long_words=False)
                for item in items
            )
        )  # fmt: skip
    return "\n\n".join(blocks)
