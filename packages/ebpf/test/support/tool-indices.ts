// The integer arithmetic of each tool, as in its sources, on words of the same width.

const word = (value: bigint): bigint => BigInt.asUintN(64, value);

/** Logarithm of a word of 32 bits, by steps of 16, 8, 4, 2 and 1 bits; 0 for 0. */
function log2Of32(value: bigint): number {
  let rest = BigInt.asUintN(32, value);
  let result = 0;
  for (const bits of [16, 8, 4, 2, 1]) {
    if (rest >> BigInt(bits) === 0n) continue;
    rest >>= BigInt(bits);
    result += bits;
  }
  return result;
}

/** Logarithm of a word of 64 bits, by its upper half unless that is 0. */
function log2Of64(value: bigint): number {
  const high = word(value) >> 32n;
  return high === 0n ? log2Of32(value) : log2Of32(high) + 32;
}

export function libbpfToolsIndex(value: bigint, slots: number): number {
  return Math.min(log2Of64(value), slots - 1);
}

export function bccIndex(value: bigint): number {
  return log2Of64(value) + 1;
}

export function inspektorGadgetIndex(value: bigint, slots: number): number {
  return value === 0n ? 0 : Math.min(log2Of64(value) + 1, slots - 1);
}

/** Rounds up, then clamps at `bucket_max`. */
export function exporterExp2Index(value: bigint, max: number): number {
  const ceiling = value > 1n ? log2Of64(value - 1n) + 1 : 0;
  return Math.min(ceiling, max);
}

export function exporterExp2ZeroIndex(value: bigint, max: number): number {
  return value === 0n ? 0 : Math.min(exporterExp2Index(value, 64) + 1, max);
}

export function exporterLinearIndex(value: bigint, max: number): number {
  return value > BigInt(max) ? max : Number(value);
}

/** `hist(value, k)`: the position of the highest bit, then the k bits after it. */
export function bpftraceHistIndex(value: bigint, k: number): number {
  if (value < 0n) return 0;
  if (value < 1n << BigInt(k)) return Number(value) + 1;
  const highest = log2Of64(value);
  const fraction = (value >> BigInt(highest - k)) & ((1n << BigInt(k)) - 1n);
  return ((highest - k + 1) << k) + Number(fraction) + 1;
}

/** The loop of bpftrace up to 0.17 begins with 16 bits, so it finds at most 31 in a word of 64 bits. */
export function oldBpftraceHistIndex(value: bigint): number {
  if (value <= 0n) return value < 0n ? 0 : 1;
  let rest = word(value);
  let result = 2;
  for (const bits of [16, 8, 4, 2, 1]) {
    if (rest < 1n << BigInt(bits)) continue;
    rest >>= BigInt(bits);
    result += bits;
  }
  return result;
}

export function bpftraceLhistIndex(value: bigint, min: bigint, max: bigint, step: bigint): number {
  if (value < min) return 0;
  if (value > max) return Number(1n + (max - min) / step);
  return Number((value - min) / step) + 1;
}

export function logLinear8Index(value: bigint): number {
  if (value < 16n) return Number(value);
  const highest = log2Of64(value);
  return (highest - 2) * 8 + Number((value >> BigInt(highest - 3)) & 7n);
}

/** The loop of the tutorial: the first boundary above the depth. */
export function queueDepthIndex(value: bigint): number {
  const boundaries = [1n, 2n, 5n, 9n, 17n, 33n, 65n];
  for (let i = 0; i < boundaries.length; i++) if (value < boundaries[i]!) return i;
  return boundaries.length;
}
