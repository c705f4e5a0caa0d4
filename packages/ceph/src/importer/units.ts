import { mustBe } from '@hdrscope/core';
import { AXIS_UNITS, type AxisUnit } from '../histogram/axis.ts';

/**
 * How it is known what an axis counts: `'override'`, by who asked; `'told'`, by the dump; `'known-mislabel'`, because
 * these daemons are known to name a unit that they do not count in; `'known'`, because they name none; `'name'`, by the
 * name of the axis; `'unknown'`, not at all.
 */
export type UnitSource = 'override' | 'told' | 'known-mislabel' | 'known' | 'name' | 'unknown';

/** What an axis counts, and how that is known. */
export interface KnownUnit {
  readonly unit: AxisUnit;
  readonly unitSource: UnitSource;
}

/** What tells the unit of an axis. */
export interface AxisHints {
  readonly logger: string;
  readonly name: string;
  readonly quantSize: number | undefined;
  /** That of the dump, where it tells one. */
  readonly told: string | undefined;
}

/** Units by the names of axes. */
export type UnitOverrides = Readonly<Record<string, AxisUnit>>;

const TOLD: Readonly<Record<string, AxisUnit>> = {
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
 * What an axis counts. OSDs up to 20.2 call their latency axis `Latency (usec)`, and count nanoseconds in it: the means
 * that they tell elsewhere are a thousand times too small for microseconds.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an override is no unit.
 */
export function unitOf({ logger, name, quantSize, told }: AxisHints, overrides: UnitOverrides): KnownUnit {
  if (Object.hasOwn(overrides, name)) {
    const unit = overrides[name]!;
    if (AXIS_UNITS.includes(unit)) return { unit, unitSource: 'override' };
    throw mustBe('ERR_INVALID_OPTION', `units["${name}"]`, `one of ${AXIS_UNITS.join(', ')}`, unit);
  }
  if (told !== undefined && Object.hasOwn(TOLD, told)) return { unit: TOLD[told]!, unitSource: 'told' };
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
