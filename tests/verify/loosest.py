"""How much rounding each claim allows, relative to what it compares: nobody loosens a check unnoticed."""

EXACT = 0.0
LOOSEST = {
    "S1": 1e-12, "S2": 1e-10, "S3": 1e-10, "S4": 4e-15, "S5": 1e-12, "S6": 1e-10, "S7": 1e-10,
    "S8": 1e-10, "S9": 1e-10, "S10": 1e-10, "S11": 1e-6, "S12": 2e-6, "S13": 1e-12, "S14": 1e-10,
    "S15": 1e-12, "S16": 1e-9, "S17": 1e-12, "S18": 1e-12, "S19": 1e-9, "S20": 1e-12, "S21": 1e-12,
    "S22": 1e-9, "S23": 1e-9, "S24": 1e-9, "S25": 1e-9, "S26": EXACT, "S27": 1e-11, "S28": 1e-11,
    "S29": 1e-11, "S30": 1e-11, "S31": 1e-11, "S32": 1e-11, "S33": 1e-11, "S34": 1e-11, "S35": 1e-5,
    "S36": 1e-5, "S37": EXACT, "S38": 1e-7, "S39": 1e-4, "S40": 1e-7, "S40b": 1e-7, "S40c": EXACT,
    "S41": 1e-8, "S42": 1e-7, "S43": 1e-9, "S44": 1e-9, "S45": EXACT, "S46": 1e-8, "S47": EXACT,
    "S48": 1e-9, "S49": 1e-9, "S50": 1e-9, "S51": 1e-9, "S52": 1e-9, "S53": 1e-9, "S54": EXACT,
    "S55": 1e-8, "S56": 1e-12, "S57": EXACT, "S58": EXACT, "S59": 1e-6, "S60": EXACT,
    "S61": EXACT, "S62": EXACT, "S63": EXACT, "S64": EXACT, "S65": EXACT, "PATH": 1.01e-6,
    "A1": 1e-11, "A2": 1e-9, "A3": 1e-9,
}  # fmt: skip


def assert_tight(claim, evidence):
    """The check of a claim allowed no more rounding than the table says."""
    assert evidence.loosest <= LOOSEST[claim.id] * (1 + 1e-9), (claim.id, evidence.loosest)
