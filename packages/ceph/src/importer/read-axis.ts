import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { AXIS_UNITS, type AxisUnit } from '@hdrscope/core/joint';
import { asText } from '@hdrscope/kit';
import { type Axis, type AxisScale, axisEdges } from '../histogram/axis.ts';
import { asArray, asInteger, asObject, shownName } from './fields.ts';
import type { Json, JsonObject } from './json.ts';

/** An axis of a dump. */
export interface ImportedAxis {
  readonly axis: Axis;
  readonly unitSource: UnitSource;
  /** Decisions that were needed to read the axis, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Reads an axis. The daemon counts by its ranges, so an axis whose scale does not give these ranges becomes an explicit one.
 *
 * @throws HdrscopeError `ERR_DECODE`.
 */
export function readAxis(json: Json, logger: string, units: UnitOverrides, path: string): ImportedAxis {
  const fields = asObject(json, path);
  const name = asText(fields.name, `${path}.name`);
  const config = configOf(fields);
  const edges = fields.ranges === undefined ? undefined : readRanges(fields.ranges, `${path}.ranges`);
  const stated = fields.buckets === undefined ? undefined : asInteger(fields.buckets, `${path}.buckets`);
  if (edges !== undefined && stated !== undefined && stated !== BigInt(edges.length + 1)) {
    throw mustBe('ERR_DECODE', `${path}.buckets`, `${edges.length + 1}, the number of ranges`, stated);
  }
  const { unit, unitSource } = findUnit(
    {
      logger,
      name,
      quantSize: config?.quantSize,
      stated: typeof fields.unit === 'string' ? fields.unit : undefined,
    },
    units,
  );
  const buckets = edges === undefined ? Number(stated) : edges.length + 1;
  const configured = config && valid({ name, ...config, buckets, unit });
  if (configured !== undefined) {
    if (edges === undefined || haveSameEdges(configured, edges))
      return { axis: configured, unitSource, notes: [] };
  }
  if (edges === undefined) {
    const allowed = 'a linear or log2 axis with min, quant_size and buckets, or one with ranges';
    throw new HdrscopeError(
      'ERR_DECODE',
      `${path} must be ${allowed}, got "${shownName(name)}" without them`,
    );
  }
  const min = Number(edges[0] ?? 0n);
  const axis = valid({
    name,
    scale: 'explicit',
    min: Number.isSafeInteger(min) ? min : 0,
    quantSize: 1,
    buckets,
    unit,
    edges,
  });
  if (axis === undefined) {
    const allowed = 'at most 65536 ranges whose bounds are different doubles';
    throw new HdrscopeError('ERR_DECODE', `${path}.ranges must be ${allowed}`);
  }
  const note = config === undefined ? 'has an unknown scale' : 'has ranges that do not follow from its scale';
  return { axis, unitSource, notes: [`${path} ${note}: the ranges count`] };
}

interface Config {
  readonly scale: AxisScale;
  readonly min: number;
  readonly quantSize: number;
}

function configOf({ scale_type: scale, min, quant_size: quantSize }: JsonObject): Config | undefined {
  if (scale !== 'linear' && scale !== 'log2') return undefined;
  return { scale, min: min as number, quantSize: quantSize as number };
}

function valid(axis: Axis): Axis | undefined {
  try {
    axisEdges(axis);
    return axis;
  } catch {
    return undefined;
  }
}

function haveSameEdges(axis: Axis, edges: readonly bigint[]): boolean {
  const made = axisEdges(axis);
  return made.length === edges.length && made.every((edge, i) => edge === edges[i]);
}

/** The lower bounds of all slots but the first. The first range has no `min`, the last has no `max`, and ranges leave no gap. */
function readRanges(json: Json, path: string): bigint[] {
  const ranges = asArray(json, path);
  if (ranges.length === 0) throw mustBe('ERR_DECODE', path, 'at least one range', ranges);
  const edges: bigint[] = [];
  let before: bigint | undefined;
  for (const [i, range] of ranges.entries()) {
    const [min, max] = readRange(range, `${path}[${i}]`);
    if ((min === undefined) !== (i === 0)) {
      throw mustBe('ERR_DECODE', `${path}[${i}].min`, i === 0 ? 'left out' : 'an integer', min);
    }
    if ((max === undefined) !== (i === ranges.length - 1)) {
      throw mustBe('ERR_DECODE', `${path}[${i}].max`, max === undefined ? 'an integer' : 'left out', max);
    }
    if (min !== undefined) {
      if (min !== before! + 1n) throw mustBe('ERR_DECODE', `${path}[${i}].min`, `${before! + 1n}`, min);
      edges.push(min);
    }
    if (min !== undefined && max !== undefined && max < min) {
      throw mustBe('ERR_DECODE', `${path}[${i}].max`, `at least ${min}`, max);
    }
    before = max;
  }
  return edges;
}

/** A range in a dump is `{ min, max }`, in telemetry `[min, max]` with `null` for a missing end. */
function readRange(json: Json, path: string): (bigint | undefined)[] {
  const isList = Array.isArray(json) || typeof json === 'string';
  const { min, max } = isList ? endsOf(asArray(json, path), path) : asObject(json, path);
  return [min, max].map((end, i) =>
    end === undefined || end === null ? undefined : asInteger(end, `${path}.${i === 0 ? 'min' : 'max'}`),
  );
}

function endsOf(ends: readonly Json[], path: string): JsonObject {
  if (ends.length !== 2) throw mustBe('ERR_DECODE', path, 'two ends', ends);
  return { min: ends[0]!, max: ends[1]! };
}

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
function findUnit({ logger, name, quantSize, stated }: AxisHints, overrides: UnitOverrides): KnownUnit {
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
  histograms: readonly { readonly histogram: { readonly axes: readonly Pick<Axis, 'name'>[] } }[],
  overrides: UnitOverrides = {},
): void {
  const names = new Set(histograms.flatMap(({ histogram }) => histogram.axes.map(({ name }) => name)));
  const unknown = Object.keys(overrides).find((name) => !names.has(name));
  if (unknown === undefined || names.size === 0) return;
  const allowed = `for one of the axes ${[...names].map((name) => JSON.stringify(name)).join(', ')}`;
  throw mustBe('ERR_INVALID_OPTION', 'units', allowed, unknown);
}
