import {
  type Counted,
  type EdgeLayout,
  explicitLayout,
  type HdrscopeError,
  type Layout,
  type Resolution,
} from '@hdrscope/core';
import {
  custom,
  fromTicks,
  integersOf,
  isHdrLayout,
  listOf,
  mustBe,
  number,
  type OptionRules,
  object,
  optional,
  readOptions,
  resolutionOf,
  scaledLayout,
  text,
} from '@hdrscope/core/internal';
import type { NamedAxis, ValueRange } from '@hdrscope/core/joint';
import { SHOWN_UNITS } from '../counted-unit.ts';
import type { FamilyOptions } from '../family-options.ts';
import type { Registry } from '../registry.ts';
import { assertRegistry } from '../registry.ts';
import { ingest } from './ingest.ts';
import type { Reading } from './reading.ts';
import { INTAKE_RULES, type Ingestion, type IntakeOptions } from './source.ts';

/** A histogram of several axes: a `JointHistogram` of `@hdrscope/core/joint`, or a `PerfHistogram` of `@hdrscope/ceph`. */
export interface JointCounts {
  /** Names and units of the axes, in the order of `layouts`. */
  readonly axes: readonly NamedAxis[];
  /** The slots of each axis. */
  readonly layouts: readonly Layout[];
  /** How often all counts were set to 0. */
  readonly resets: number;
  /** The distribution of the axis with this index, for values within ranges of other axes. */
  marginal(axis: number, where: readonly ValueRange[]): Counted;
  /** The sum of the values of that distribution; `undefined` when it is not known. */
  sum(axis: number, where: readonly ValueRange[]): number | undefined;
}

/** Classes of the values of one axis. The families of the other axes have a series for each class. */
export interface JointClasses {
  /** The name of the axis. */
  readonly axis: string;
  /** The bounds between the classes, ascending. Each must be a bound of a slot of the axis. */
  readonly bounds: readonly number[];
  /** The attribute that has the name of the class. @default the name of the axis */
  readonly attribute?: string;
  /**
   * The names of the classes: one more than bounds.
   * @default names such as `<=4096`, `4096-65536` and `>65536`; where slots include their lower bound, `<4096` and `>=65536`
   */
  readonly names?: readonly string[];
}

/** The options of `ingestJoint`. */
export interface IngestJointOptions extends IntakeOptions {
  /**
   * The family of each axis, by the name of the axis: its name at least. Times are shown in seconds, sizes in bytes. An axis
   * without a family is not shown.
   */
  readonly families: Readonly<Record<string, FamilyOptions>>;
  /** Divides the families of the other axes by the value on this axis. @default no division */
  readonly classes?: JointClasses | undefined;
}

/**
 * Has a registry read a histogram of several axes whenever it is gathered: each axis becomes a family, and `classes` divides the
 * families of the other axes into series.
 *
 * Bounds of explicit, linear and log2 slots become exact buckets of Prometheus and OTLP. Slots that include their lower bound
 * count integers, so their buckets end at the largest integer of the slot. HDR slots are added as they are. Sums are exact as
 * those of the histogram are. Counts that are in the registry stay there when the histogram is reset.
 *
 * A gather visits every cell once for each family, in one go.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option or an axis does not exist, a bound lies within a slot, there is not
 *   a name for each class, or the unit of a family does not suit its axis.
 * @example
 * ```ts
 * import { explicitLayout } from '@hdrscope/core';
 * import { JointHistogram } from '@hdrscope/core/joint';
 * import { createRegistry, ingestJoint } from '@hdrscope/registry';
 *
 * const requests = new JointHistogram([
 *   { name: 'duration', unit: 'ms', layout: explicitLayout([100, 500]) },
 *   { name: 'size', unit: 'bytes', layout: explicitLayout([4096, 65_536]) },
 * ]);
 * const registry = createRegistry();
 * ingestJoint(registry, requests, {
 *   families: { duration: { name: 'http.server.request.duration' } },
 *   classes: { axis: 'size', bounds: [4096] },
 * });
 * requests.record(50, 512);
 * requests.record(300, 100_000);
 *
 * const [duration] = (await registry.gather()).families;
 * [duration!.unit, duration!.boundaries]; //=> ['s', [0.1, 0.5]]
 * duration!.series.map(({ attributes, sum }) => [attributes.size, sum]); //=> [['<=4096', 0.05], ['>4096', 0.3]]
 * ```
 */
export function ingestJoint(
  registry: Registry,
  histogram: JointCounts,
  options: IngestJointOptions,
): Ingestion {
  assertRegistry(registry);
  const { families, classes, ...intake } = readOptions(options, INGEST_JOINT);
  const shown = shownAxes(histogram, families);
  const parts = partsOf(histogram, classes);
  const read = (): Reading[] =>
    shown.flatMap((axis) =>
      (histogram.axes[axis.at]!.name === classes?.axis ? WHOLE : parts).map((part) =>
        readingOf(histogram, axis, part),
      ),
    );
  // A bound within a slot is refused now, and not at each gather.
  read();
  return ingest(registry, { name: 'joint histogram', read }, intake);
}

const INGEST_JOINT = {
  name: 'ingestJoint',
  rules: {
    ...INTAKE_RULES,
    families: custom<IngestJointOptions['families']>(
      'an object with the family of at least one axis',
      (families) => object().accepts(families) && Object.keys(families).length > 0,
    ),
    classes: optional(object<JointClasses>()),
  } satisfies OptionRules<IngestJointOptions>,
  call: "ingestJoint(registry, histogram, { families: { duration: { name: 'request.duration' } } })",
};

const CLASSES = {
  name: 'classes',
  rules: {
    axis: text,
    bounds: custom<readonly number[]>(
      'at least one number',
      (bounds) => listOf(number(), 'numbers').accepts(bounds) && bounds.length > 0,
    ),
    attribute: optional(text),
    names: optional(listOf(text, 'texts')),
  } satisfies OptionRules<JointClasses>,
  call: "{ axis: 'size', bounds: [4096, 65536] }",
};

/** An axis that has a family. */
interface ShownAxis {
  readonly at: number;
  readonly family: FamilyOptions;
  /** The slots in the unit of the family; HDR slots are in its ticks. */
  readonly layout: Layout;
  /** One unit of the axis. */
  readonly step: Resolution;
}

function readingOf(
  histogram: JointCounts,
  { at, family, layout, step }: ShownAxis,
  { attributes, where }: Part,
): Reading {
  const { counts } = histogram.marginal(at, where);
  const sum = histogram.sum(at, where);
  return {
    key: JSON.stringify([at, attributes]),
    family,
    attributes,
    counted: { layout, counts },
    sum: sum === undefined ? undefined : fromTicks(step, sum),
    counter: { epoch: String(histogram.resets) },
  };
}

function shownAxes({ axes, layouts }: JointCounts, families: IngestJointOptions['families']): ShownAxis[] {
  return Object.entries(families).map(([name, asked]) => {
    const at = axes.findIndex((axis) => axis.name === name);
    if (at < 0) throw unknownAxis('families', axes, name);
    const [axis, layout] = [axes[at]!, layouts[at]!];
    const { unit, scale } = SHOWN_UNITS[axis.unit ?? 'none'];
    const hasUnit = axis.unit !== undefined && axis.unit !== 'none';
    const family = {
      ...asked,
      ...(hasUnit && { unit: asked?.unit ?? unit }),
      ...(isHdrLayout(layout) && { resolution: asked?.resolution ?? scale }),
    };
    if (hasUnit && family.unit !== unit) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        `the unit of the family of axis "${name}"`,
        JSON.stringify(unit),
        family.unit,
      );
    }
    if (isHdrLayout(layout) && family.resolution !== scale) {
      const what = `the resolution of the family of axis "${name}"`;
      throw mustBe('ERR_INVALID_OPTION', what, `${scale}, one unit of the axis`, family.resolution);
    }
    const step = resolutionOf(scale);
    return { at, family, layout: layoutInUnit(layout, step, name), step };
  });
}

/** The slots of an axis in the unit of its family. */
function layoutInUnit(layout: Layout, step: Resolution, name: string): Layout {
  if (isHdrLayout(layout)) return layout;
  if (!('edges' in layout)) return scaled(layout, step);
  const slots = layout as EdgeLayout;
  if (!slots.lowerInclusive) {
    const isOne = step.ticksPerUnit === 1 && step.unitsPerTick === 1;
    return isOne ? slots : explicitLayout(slots.edges.map((edge) => fromTicks(step, edge)));
  }
  if (slots.edges.every(Number.isInteger)) return scaledLayout(integersOf(slots), step);
  const allowed = 'include their upper bound, or have integers as bounds';
  throw mustBe('ERR_INVALID_OPTION', `the slots of axis "${name}"`, `slots that ${allowed}`, slots.edges);
}

function scaled(layout: Layout, step: Resolution): Layout {
  return step.ticksPerUnit === 1 && step.unitsPerTick === 1 ? layout : scaledLayout(layout, step);
}

/** A part of a histogram. */
interface Part {
  readonly attributes: Readonly<Record<string, string>>;
  readonly where: readonly ValueRange[];
}

const WHOLE: readonly Part[] = [{ attributes: {}, where: [] }];

function partsOf({ axes, layouts }: JointCounts, classes: JointClasses | undefined): readonly Part[] {
  if (classes === undefined) return WHOLE;
  const { axis, bounds, attribute = axis, names } = readOptions(classes, CLASSES, 'classes.');
  const at = axes.findIndex(({ name }) => name === axis);
  if (at < 0) throw unknownAxis('classes.axis', axes, axis);
  const parts = bounds.length + 1;
  if (names !== undefined && (names.length !== parts || new Set(names).size !== parts)) {
    throw mustBe('ERR_INVALID_OPTION', 'classes.names', `${parts} different names`, names);
  }
  const { lowerInclusive } = layouts[at]!;
  return Array.from({ length: parts }, (_, i): Part => {
    const [from, to] = [bounds[i - 1], bounds[i]];
    const name = names?.[i] ?? className(from, to, lowerInclusive);
    return { attributes: { [attribute]: name }, where: [{ axis: at, from, to }] };
  });
}

function className(from: number | undefined, to: number | undefined, isLowerInclusive: boolean): string {
  if (from === undefined) return isLowerInclusive ? `<${to}` : `<=${to}`;
  if (to === undefined) return isLowerInclusive ? `>=${from}` : `>${from}`;
  return `${from}-${to}`;
}

function unknownAxis(what: string, axes: JointCounts['axes'], name: unknown): HdrscopeError {
  const names = axes.map((axis) => JSON.stringify(axis.name)).join(', ');
  return mustBe('ERR_INVALID_OPTION', what, `one of the axes ${names}`, name);
}
