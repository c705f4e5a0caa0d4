import {
  assertFollows,
  integer,
  listOf,
  mustBe,
  number,
  type OptionRules,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { explicitKernelLayout, type KernelLayout } from './kernel-layout.ts';

// Source of all layouts: ebpf_exporter, `exporter/histogram.go` and its README.
// Keys run from `bucket_min` to `bucket_max`, both inclusive; those of `fixed` are in `bucket_keys`. Programs count larger
// values at the last key, and keep the sum at the key after it. Bounds are in the unit in which the program measures. With
// `linear`, the program divides values by `bucket_multiplier`, which is `step` here. With the others, `bucket_multiplier`
// changes only the unit that the page shows.

/** Range of the keys of an ebpf_exporter histogram. */
export interface ExporterKeyRange {
  /** `bucket_min`: an integer of at least 0. @default 0 */
  readonly min?: number;
  /** `bucket_max`: an integer above `min`, up to 64 for powers of two and 4096 above `min` for linear ones. */
  readonly max: number;
}

/**
 * Layout of ebpf_exporter `exp2`, the logarithm rounded up. Key 0 holds 0 and 1, and key k holds 2^(k−1) + 1 to 2^k.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the range is invalid.
 */
export function exporterExp2Layout(range: ExporterKeyRange): KernelLayout {
  return byKey('ebpf-exporter-exp2', readOptions(range, KEY_RANGE), 64, (key) => 2 ** key);
}

/**
 * Layout of ebpf_exporter `exp2zero`. Key 0 holds 0, and key k holds the integers of key k − 1 of `exp2` without 0.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the range is invalid.
 */
export function exporterExp2ZeroLayout(range: ExporterKeyRange): KernelLayout {
  return byKey('ebpf-exporter-exp2zero', readOptions(range, KEY_RANGE), 65, (key) =>
    key === 0 ? 0 : 2 ** (key - 1),
  );
}

/**
 * Layout of ebpf_exporter `linear`. A key is a value that the program divided by a step and rounded down. So key k holds the
 * values from k * step to (k + 1) * step − 1. The page of ebpf_exporter shows k * step as their upper bound, although it is
 * their lower bound.
 *
 * @param range The range of the keys. Its `step` is an integer of at least 1; left out, each key is a value.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the range or the step is invalid.
 */
export function exporterLinearLayout(range: ExporterKeyRange & { readonly step?: number }): KernelLayout {
  const { step, ...keys } = readOptions(range, LINEAR_RANGE);
  return byKey('ebpf-exporter-linear', keys, Number.MAX_SAFE_INTEGER, (key) => (key + 1) * step - 1);
}

/**
 * Layout of ebpf_exporter `fixed`. Each key of the list is the largest value of its slot. The slot of the last key is open.
 *
 * @param keys At least two ascending integers of at least 0.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the keys are not such integers.
 * @example
 * ```ts
 * import { exporterFixedLayout } from '@hdrscope/ebpf';
 *
 * const sizes = exporterFixedLayout([10, 100, 1000]);
 * sizes.keys; //=> [10, 100, 1000]
 * [sizes.slots.lower(1), sizes.slots.upper(1)]; //=> [11, 100]
 * ```
 */
export function exporterFixedLayout(keys: readonly number[]): KernelLayout {
  assertFollows('keys', listOf(number(), 'numbers'), keys);
  if (keys.length < 2) throw mustBe('ERR_INVALID_OPTION', 'keys', 'at least two integers', keys);
  for (const [i, key] of keys.entries()) {
    const least = i === 0 ? 0 : keys[i - 1]! + 1;
    if (!Number.isSafeInteger(key) || key < least) {
      throw mustBe('ERR_INVALID_OPTION', `keys[${i}]`, `an integer of at least ${least}`, key);
    }
  }
  return explicitKernelLayout(keys.slice(0, -1), { name: 'ebpf-exporter-fixed', keys });
}

const MOST_KEYS = 4096;

const RANGE_RULES = {
  min: withDefault(integer(), 0),
  max: integer(),
} satisfies OptionRules<ExporterKeyRange>;

const KEY_RANGE = { name: 'a range of keys', rules: RANGE_RULES, call: 'exporterExp2Layout({ max: 26 })' };

const LINEAR_RANGE = { ...KEY_RANGE, rules: { ...RANGE_RULES, step: withDefault(integer({ from: 1 }), 1) } };

function byKey(
  name: string,
  range: Required<ExporterKeyRange>,
  highest: number,
  upper: (key: number) => number,
): KernelLayout {
  const { min, max } = range;
  if (min < 0 || min >= highest) {
    throw mustBe('ERR_INVALID_OPTION', 'min', `an integer from 0 to ${highest - 1}`, min);
  }
  const most = Math.min(highest, min + MOST_KEYS);
  if (max <= min || max > most) {
    throw mustBe('ERR_INVALID_OPTION', 'max', `an integer from ${min + 1} to ${most}`, max);
  }
  const bounds = Array.from({ length: max - min }, (_, i) => upper(min + i));
  // Programs do not count values below the first key.
  const lowest = min === 0 ? 0 : upper(min - 1) + 1;
  return explicitKernelLayout(bounds, { name, firstIndex: min, lowest });
}
