// Logarithm and exponential, correctly rounded. JavaScript's are off by the last bit in some percent of all
// arguments (ln 3 is), Python's hardly ever; where two arms tie but for rounding, that bit decides which one is
// pulled. A number of twice the digits is a pair [high, low], whose sum it is.

const LN2 = [0.6931471803691238, 1.9082149292705877e-10]; // k times the first is exact; their sum has 86 bits

function twoSum(a, b) {
  const sum = a + b, part = sum - a;
  return [sum, (a - (sum - part)) + (b - part)];
}

function halves(a) {
  const scaled = 134217729 * a, high = scaled - (scaled - a);
  return [high, a - high];
}

function twoProduct(a, b) {
  const product = a * b, [ah, al] = halves(a), [bh, bl] = halves(b);
  return [product, ((ah * bh - product) + ah * bl + al * bh) + al * bl];
}

function add([a, b], [c, d]) {
  const [sum, rest] = twoSum(a, c);
  return twoSum(sum, rest + b + d);
}

function multiply([a, b], [c, d]) {
  const [product, rest] = twoProduct(a, c);
  return twoSum(product, rest + a * d + b * c);
}

// e^y as a pair, for y from -700 to 700: e^(y - k ln 2) by a Taylor series at 1/256 of it, squared eight times.
function expPair(y) {
  const k = Math.round(y / Math.LN2);
  const [high, low] = add([y - k * LN2[0], 0], twoProduct(-k, LN2[1]));
  const r = [high / 256, low / 256];
  let term = [1, 0], less1 = [0, 0]; // e^r - 1, which keeps more digits
  for (let j = 1; j <= 8; j++) {
    term = divide(multiply(term, r), j);
    less1 = add(less1, term);
  }
  for (let square = 0; square < 8; square++) less1 = add([2 * less1[0], 2 * less1[1]], multiply(less1, less1));
  const scale = 2 ** k;
  return add([1, 0], less1).map((part) => part * scale);
}

function divide([a, b], j) {
  const quotient = a / j, [product, rest] = twoProduct(quotient, j);
  return twoSum(quotient, ((a - product) - rest + b) / j);
}

function exp(y) {
  return Math.abs(y) < 700 ? expPair(y)[0] : Math.exp(y);
}

function log(x) {
  const y = Math.log(x);
  if (!(Math.abs(y) < 700)) return y;
  const [high, low] = expPair(y);
  return y + ((x - high) - low) / high; // Newton's step: its error is the square of the last bit's
}
