// The game of best arm: divergences, confidence intervals, the nearest alternative, the best weights.
// As in Python, step by step: purex/families/compiled and purex_plugins/best_arm. Arms are Gaussian of
// variance 1, or Bernoulli.

const NEAR = 0.2; // |s| below which the series is used
const SMALL = 1e-5; // where the two-term expansion of a root is exact to rounding
const FAR_HEAVIER = 2 ** 40;
const EDGE = 1e-3; // how far from 0 and 1 the sampling rule sees means of few rewards

// The term x log(x/y) - x + y, with gap = y - x: no digits are lost where x and y are close.
function kl(x, y, gap) {
  const total = x + y;
  if (Math.abs(gap) <= NEAR * total && total > 0) {
    const s = gap / total, z = s * s, z2 = z * z, z4 = z2 * z2;
    const middle = (1 / 11 + 1 / 13 * z) + z2 * (1 / 15 + 1 / 17 * z);
    const series = ((1 / 3 + 1 / 5 * z) + z2 * (1 / 7 + 1 / 9 * z)) + z4 * (middle + z4 * (1 / 19 + 1 / 21 * z));
    return s * (gap - 2 * x * z * series);
  }
  if (x === 0) return y;
  return y === 0 ? Infinity : gap - x * log(y / x);
}

const gaussian = {
  d: (mu, lam) => 0.5 * (lam - mu) * (lam - mu),
  lower: (mu, level) => mu - Math.sqrt(2 * level),
  upper: (mu, level) => mu + Math.sqrt(2 * level),
  clip: (x) => x,
  reward: (mu, u) => mu + normalQuantile(u),
};

const bernoulli = {
  d(mu, lam) {
    const gap = lam - mu;
    return kl(mu, lam, gap) + kl(1 - mu, 1 - lam, -gap);
  },
  lower(mu, level) {
    if (level === 0 || mu === 0) return mu;
    if (2 * level <= mu * (1 - mu)) return shrink(mu, 1 - mu, level)[1];
    return mu * exp(-bendRoot(mu / (1 - mu), level / mu));
  },
  upper(mu, level) {
    if (level === 0 || mu === 1) return mu;
    if (2 * level <= mu * (1 - mu)) return mu + shrink(1 - mu, mu, level)[0];
    const v = bendRoot((1 - mu) / mu, level / (1 - mu));
    return v < 1 ? mu - (1 - mu) * Math.expm1(-v) : 1 - (1 - mu) * exp(-v);
  },
  clip: (x, N) => Math.min(Math.max(x, Math.min(EDGE, 0.5 / N)), Math.max(1 - EDGE, 1 - 0.5 / N)),
  reward: (mu, u) => (u > 1 - mu ? 1 : 0),
};

const FAMILIES = { gaussian, bernoulli };

// The gap b - x and the x < b where b log(b/x) + a log(a/(1-x)) is level, for a + b = 1 and a small level.
const C2 = 1 / 6, C3 = 1 / 36, C4 = 1 / 540, C5 = 1 / 4320, C6 = 1 / 34020, C7 = 1 / 5443200, C8 = 1 / 408240;

function shrink(b, a, level) {
  const V = a * b, q = Math.sqrt(2 * level / V), z = q * q;
  const even = 1 + z * ((1 - 13 * V) * C3 + z * (1 - V * (26 - 313 * V)) * C5);
  const odd = 2 * (C2 + z * (z * (1 + V * (10 + 237 * V)) * C6 - (1 + 23 * V) * C4));
  const gap = V * q * (even + q * (b - a) * odd);
  const x = b - gap, n = a + gap;
  const residual = kl(b, x, -gap) + kl(a, n, gap) - level;
  const inverse = 1 / (n * gap), newton = residual * n * n * inverse, bend = 0.5 * x * a * inverse;
  const v = newton * (1 + newton * bend * (1 + newton * (2 * bend + 2 * C2 * (1 + x) * gap * inverse)));
  const step = x * v * (1 + v * (0.5 + v * C2));
  return [gap - step, x + step];
}

// The root v >= 0 of v - log(1 + k (1 - e^-v))/k = c: Halley's method.
function bendRoot(k, c) {
  const p = Math.sqrt(2 * c / (1 + k)), q = (1 + k) * p;
  let v = p + (1 + 2 * k) * p * p / 6;
  if ((1 + 2 * k) * p < SMALL) return v;
  if (q <= 2) v = rootSeries(1 / (1 + k), k / (1 + k), q);
  else v = c + Math.min(p / (1 + (2 + k) * p * C2), Math.log1p(k) / k);
  for (let step = 0; step < 3; step++) {
    const x = -Math.expm1(-v), kx = k * x;
    const newton = (v - Math.log1p(kx) / k - c) * (1 + kx) / (x * (1 + k));
    v -= newton / (1 - 0.5 * newton * (1 - x) / (x * (1 + kx)));
    if (Math.abs(newton) <= SMALL * v) break; // the error is of third order in the step
  }
  return v;
}

function rootSeries(a, b, q) {
  const V = a * b, z = q * q, A = 1 - V, B = (b - a) * (1 + a) * (1 + b);
  const even = 1 + z * (A * C3 + z * (A * A * C5 - z * (139 * A * A * A - 432 * V * V) * C7));
  const odd = (1 + b) * C2 + z * B * (z * A * (C6 + z * A * C8) - C4);
  return a * q * (even + q * odd);
}

const square = (x) => x * x;

function argmax(values) {
  return values.reduce((best, value, k) => (value > values[best] ? k : best), 0); // ties to the lowest
}

// The mean at which arm b, below arm a, catches up with it most cheaply, and the cost.
function tie(family, x, wa, y, wb) {
  const total = wa + wb;
  let m = wa > FAR_HEAVIER * wb ? x - wb / total * (x - y) : y + wa / total * (x - y);
  if (wb === 0) m = x;
  else if (wa === 0) m = y;
  const cost = (w, mu) => (w === 0 || mu === m ? 0 : w * family.d(mu, m));
  return [m, cost(wa, x) + cost(wb, y)];
}

// The nearest means at which arm i is not the best, at weights w: the cheapest rival ties with it.
function bestResponse(family, i, w, mu) {
  const point = mu.slice();
  let value = Infinity, rival = -1, at = NaN;
  for (let j = 0; j < mu.length; j++) {
    if (j === i) continue;
    if (mu[j] >= mu[i]) return { value: 0, point };
    const [m, cost] = tie(family, mu[i], w[i], mu[j], w[j]);
    if (cost < value || rival < 0) [value, rival, at] = [cost, j, m];
  }
  point[i] = point[rival] = at;
  return { value, point };
}

// max_w min_j: the weights at which the nearest alternative to arm i is farthest (D_mu), and its value.
// With X_j = w_j/w_i, a_j = d(mu_i, m_j), b_j = d(mu_j, m_j) where m_j is the tie of i and j, the optimum has
// a_j + X_j b_j = y for all j, and the sum of a_j/b_j is 1 (Garivier & Kaufmann 2016, theorem 5).
function bestWeights(family, i, mu) {
  const rivals = mu.map((_, j) => j).filter((j) => j !== i), tied = rivals.filter((j) => mu[j] >= mu[i]);
  if (tied.length > 0) {
    const share = 1 / (tied.length + 1);
    return { value: 0, w: mu.map((_, j) => (j === i || tied.includes(j) ? share : 0)) };
  }
  const ratios = family === gaussian ? gaussianRatios(i, mu, rivals) : bernoulliRatios(i, mu, rivals);
  const total = rivals.reduce((sum, j) => sum + ratios[j], 1), share = 1 / total;
  ratios[i] = 1;
  const w = ratios.map((ratio) => ratio * share);
  return { value: bestResponse(family, i, w, mu).value, w };
}

// Gaussian arms: X_j = e_j/(zeta - e_j), e_j the square of the least gap over that of j, and sum X_j^2 = 1.
function gaussianRatios(i, mu, rivals) {
  const least = Math.min(...rivals.map((j) => mu[i] - mu[j]));
  const e = mu.map((y, j) => (j === i ? 0 : square(least / (mu[i] - y))));
  let A = 0, B = 0;
  for (const j of rivals) {
    A += e[j] * e[j];
    B += e[j] * e[j] * e[j];
  }
  let zeta = Math.max(2, Math.sqrt(A) + B / A);
  for (let steps = 0; steps < 12; steps++) {
    let F = 0, G = 0, H = 0;
    for (const j of rivals) {
      const inverse = 1 / (zeta - e[j]), X2 = square(e[j] * inverse);
      F += X2;
      G += X2 * inverse;
      H += X2 * inverse * inverse;
    }
    const q = Math.sqrt(F) - 1, step = q * F * G / (G * G + 1.5 * q * (G * G - F * H)); // Halley's
    zeta += step;
    if (Math.abs(step) <= 1e-5 * zeta) break;
  }
  return e.map((part) => part / (zeta - part));
}

// Bernoulli arms: Newton's method in z = 1/y and p_j = 1/X_j, for the last equation to the power -1/2.
function bernoulliRatios(i, mu, rivals) {
  const x = mu[i], p = mu.map(() => 1);
  let z = 0;
  for (const j of rivals) z = Math.max(z, 1 / tieTerms(x, mu[j], 1).cost);
  for (let steps = 0; steps < 100; steps++) {
    let S = 0, T = 0, U = 0;
    const terms = rivals.map((j) => {
      const { a, b, h, cost } = tieTerms(x, mu[j], 1 / p[j]);
      const r = a / b, f = r + 1 / p[j], t = h * (f * f * f);
      S += r;
      T += t;
      U += t / cost;
      return [j, 1 / cost, (r * p[j] + 1) * p[j] * cost]; // dp/dz at that cost
    });
    const next = Math.max((2 * (S * Math.sqrt(S) - S) + U) / T, 0.1 * z);
    let close = Math.abs(next - z) <= 3e-7 * z;
    for (const [j, inverse, slope] of terms) {
      const step = Math.max((next - inverse) * slope, -0.9 * p[j]);
      close &&= Math.abs(step) <= 3e-7 * p[j];
      p[j] += step;
    }
    z = next;
    if (close) break;
  }
  return p.map((inverse) => 1 / inverse);
}

// Where Bernoulli arms of means x > y and weights 1 and X tie, at m = 1 - n: a = d(x, m), b = d(y, m), h = -db/dX.
function tieTerms(x, y, X) {
  const t = 1 / (1 + X), v = (x - y) * t, m = (x + X * y) * t, n = ((1 - x) + X * (1 - y)) * t;
  const a = kl(x, m, -X * v) + kl(1 - x, n, X * v), b = kl(y, m, v) + kl(1 - y, n, -v);
  return { a, b, h: v / m * (v / n) * t, cost: a + X * b };
}

// The most optimistic model in the intervals: max_i max_w min_j where i is as high and the others as low as can be.
function optimisticWeights(family, lower, upper) {
  const clearly = (i, j) => upper[j] - upper[i] > 1e-9 * (upper[i] - lower[j]);
  let best = { value: 0, w: null };
  for (let i = 0; i < lower.length; i++) {
    const dominated = lower.some((low, j) =>
      upper[j] >= upper[i] && low >= lower[i] && (j < i || clearly(i, j)));
    if (dominated) continue;
    const model = lower.slice();
    model[i] = upper[i];
    const found = bestWeights(family, i, model);
    if (best.value * (1 + 1e-12) < found.value) best = found;
  }
  return best.w ?? bestWeights(family, argmax(upper), upper).w;
}
