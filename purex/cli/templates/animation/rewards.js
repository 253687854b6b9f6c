// Rewards: reward number n of arm k is a function of (seed, run, k, n) alone, the same as in Python
// (purex/streams.py and purex/families/compiled/rewards.py), so that a run here is a run of `purex simulate`.

const WORD = (1n << 64n) - 1n; // arithmetic modulo 2^64
const MULTIPLIERS = [0xD2E7470EE14C6C93n, 0xCA5A826395121157n];
const WEYL = [0x9E3779B97F4A7C15n, 0xBB67AE8584CAA73Bn];
const LARGEST = 1 - 2 ** -53; // the middle of the last step would be rounded to 1
const LARGEST_SEED = Number.MAX_SAFE_INTEGER;

// Philox 4x64-10 (Salmon, Moraes, Dror & Shaw 2011): the four words of a block.
function philox([c0, c1, c2, c3], [k0, k1]) {
  for (let round = 0; round < 10; round++) {
    const p = MULTIPLIERS[0] * c0, q = MULTIPLIERS[1] * c2;
    [c0, c1, c2, c3] = [(q >> 64n) ^ c1 ^ k0, q & WORD, (p >> 64n) ^ c3 ^ k1, p & WORD];
    k0 = (k0 + WEYL[0]) & WORD;
    k1 = (k1 + WEYL[1]) & WORD;
  }
  return [c0, c1, c2, c3];
}

// The first word of the key: numpy's SeedSequence(seed).generate_state(1, uint64), by 32-bit words.
function streamKey(seed) {
  const entropy = [seed >>> 0, Math.floor(seed / 2 ** 32)];
  let constant = 0x43b0d7e5;
  const hash = (value) => {
    value ^= constant;
    constant = Math.imul(constant, 0x931e8875);
    value = Math.imul(value, constant);
    return value ^ (value >>> 16);
  };
  const mix = (x, y) => {
    const value = Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715) | 0;
    return value ^ (value >>> 16);
  };
  const pool = [0, 1, 2, 3].map((i) => hash(entropy[i] ?? 0));
  for (let source = 0; source < 4; source++) {
    for (let target = 0; target < 4; target++) {
      if (source !== target) pool[target] = mix(pool[target], hash(pool[source]));
    }
  }
  constant = 0x8b51f9dd;
  const [low, high] = pool.slice(0, 2).map((word) => {
    word ^= constant;
    constant = Math.imul(constant, 0x58f38ded);
    word = Math.imul(word, constant);
    return BigInt((word ^ (word >>> 16)) >>> 0);
  });
  return (high << 32n) | low;
}

// The uniforms in (0, 1) of the rewards of an arm, in order; they come in blocks of four.
class Uniforms {
  constructor(key, run, arm) {
    Object.assign(this, { key, run: BigInt(run), arm: BigInt(arm), number: 0, block: [] });
  }

  next() {
    const lane = this.number % 4;
    if (lane === 0) {
      const words = philox([BigInt(this.number / 4), this.arm, this.run, 0n], [this.key, 0n]);
      this.block = words.map((word) => Math.min((Number(word >> 11n) + 0.5) * 2 ** -53, LARGEST));
    }
    this.number += 1;
    return this.block[lane];
  }
}

// The standard normal quantile: Wichura (1988), algorithm AS 241.
const CENTRAL = [
  [2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
    13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608],
  [5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0]];
const NEAR_TAIL = [
  [7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
    3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734],
  [1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0]];
const FAR_TAIL = [
  [2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
    0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772],
  [2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0]];

const polynomial = (coefficients, r) => coefficients.reduce((value, c) => value * r + c);

function normalQuantile(u) {
  const q = u - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return q * polynomial(CENTRAL[0], r) / polynomial(CENTRAL[1], r);
  }
  const r = Math.sqrt(-log(q < 0 ? u : 1 - u));
  const [[top, bottom], shift] = r <= 5 ? [NEAR_TAIL, 1.6] : [FAR_TAIL, 5];
  const value = polynomial(top, r - shift) / polynomial(bottom, r - shift);
  return q < 0 ? -value : value;
}
