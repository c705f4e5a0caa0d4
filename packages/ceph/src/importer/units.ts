import { mustBe } from '@hdrscope/core/internal';
import { AXIS_UNITS, type AxisUnit } from '@hdrscope/core/joint';

/**
 * The source of the unit of an axis: `'override'`, the option `units`; `'dump'`, a field of the dump; `'known-mislabel'`,
 * an axis that is known to name a unit in which it does not count; `'known'`, an axis that is known, and names no unit;
 * `'name'`, the name of the axis; `'unknown'`, no source.
 */
export type UnitSource = 'override' | 'dump' | 'known-mislabel' | 'known' | 'name' | 'unknown';

/** The unit of an axis, and its source. */
export interface KnownUnit {
  readonly unit: AxisUnit;
  readonly unitSource: UnitSource;
}

/** Everything that can show the unit of an axis. */
export interface AxisHints {
  readonly logger: string;
  readonly name: string;
  readonly quantSize: number | undefined;
  /** The unit in the dump, when it has one. */
  readonly stated: string | undefined;
}

/** Units by the names of axes. */
export type UnitOverrides = Readonly<Record<string, AxisUnit>>;

const STATED_UNITS: Readonly<Record<string, AxisUnit>> = {
  nanoseconds: 'ns',
  microseconds: 'us',
  milliseconds: 'ms',
  seconds: 's',
  bytes: 'bytes',
  none: 'none',
};

const IN_NAMES: readonly (readonly [RegExp, AxisUnit])[] = [
  [/\((nsec|ns|nanoseconds)\)/i, 'ns'],
  [/\((usec|us|microseconds)\)/i, 'us'],
  [/\((msec|ms|milliseconds)\)/i, 'ms'],
  [/\((sec|s|seconds)\)/i, 's'],
  [/\(bytes\)/i, 'bytes'],
];

/**
 * The unit of an axis. OSDs up to 20.2 count nanoseconds in an axis with the name `Latency (usec)`: the means that they
 * report elsewhere are a thousand times too small for microseconds.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an override is not a unit.
 */
export function unitOf({ logger, name, quantSize, stated }: AxisHints, overrides: UnitOverrides): KnownUnit {
  if (Object.hasOwn(overrides, name)) {
    const unit = overrides[name]!;
    if (AXIS_UNITS.includes(unit)) return { unit, unitSource: 'override' };
    throw mustBe('ERR_INVALID_OPTION', `units["${name}"]`, `one of ${AXIS_UNITS.join(', ')}`, unit);
  }
  if (stated !== undefined && Object.hasOwn(STATED_UNITS, stated)) {
    return { unit: STATED_UNITS[stated]!, unitSource: 'dump' };
  }
  if (logger === 'osd') {
    if (name === 'Latency (usec)' && quantSize === 100_000)
      return { unit: 'ns', unitSource: 'known-mislabel' };
    if (name === 'duration') return { unit: 'ns', unitSource: 'known' };
  }
  const named = IN_NAMES.find(([pattern]) => pattern.test(name));
  return named === undefined
    ? { unit: 'none', unitSource: 'unknown' }
    : { unit: named[1], unitSource: 'name' };
}

/**
 * Refuses overrides for axes that no histogram has: the unit that somebody wants would be ignored. Without histograms nothing is
 * known of the axes.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function assertKnownAxes(
  histograms: readonly { readonly histogram: { readonly axes: readonly { readonly name: string }[] } }[],
  overrides: UnitOverrides = {},
): void {
  const names = new Set(histograms.flatMap(({ histogram }) => histogram.axes.map(({ name }) => name)));
  const unknown = Object.keys(overrides).find((name) => !names.has(name));
  if (unknown === undefined || names.size === 0) return;
  const allowed = `for one of the axes ${[...names].map((name) => JSON.stringify(name)).join(', ')}`;
  throw mustBe('ERR_INVALID_OPTION', 'units', allowed, unknown);
}
