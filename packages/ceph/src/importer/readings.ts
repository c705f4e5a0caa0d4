import { HdrscopeError, type IntegerLayout } from '@hdrscope/core';
import {
  fromTicks,
  integersOf,
  listOf,
  number,
  type OptionTable,
  type RulesFor,
  resolutionOf,
  type ScaledLayout,
  scaledLayout,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import type { ValueRange } from '@hdrscope/core/joint';
import {
  type Attributes,
  type FamilyOptions,
  type IngestMemory,
  type Reading,
  SHOWN_UNITS,
} from '@hdrscope/registry';
import { addedUnitWords, latestEpoch, type ShownUnit, unitSuffixes } from '@hdrscope/registry/internal';
import { type Axis, axisLayout, axisTitle } from '../histogram/axis.ts';
import type { PerfHistogram } from '../histogram/perf-histogram.ts';
import { HistogramFollower, histogramKey } from './increase.ts';
import type { ImportedHistogram } from './read-histogram.ts';

/** How histograms become families. */
export interface FamiliesOfAxes {
  readonly classes: Required<AxisClasses> | undefined;
  readonly familyName: (histogram: ImportedHistogram, axis: Axis) => string;
  /** Whether there are families of all daemons together, too. */
  readonly merged: boolean;
}

/** Makes readings of the histograms of daemons, and remembers what it needs from one dump to the next. */
export class Readings {
  /** How many histograms have begun anew. */
  resets = 0;
  readonly #how: FamiliesOfAxes;
  readonly #memory: IngestMemory;
  readonly #follower = new HistogramFollower();
  readonly #epochs = new Map<string, number>();
  /** How many readings in a row a histogram has had no sums. */
  readonly #withoutSums = new Map<string, number>();
  /** Whether the sum of a family is measured. Its description says so, and the first reading decides. */
  readonly #families = new Map<string, { readonly options: FamilyOptions; readonly isMeasured: boolean }>();

  constructor(memory: IngestMemory, how: FamiliesOfAxes) {
    this.#memory = memory;
    this.#how = how;
  }

  /**
   * A reading for each axis of a histogram, and for each class of its values.
   *
   * @throws HdrscopeError `ERR_DECODE` when the sums are not known this time.
   */
  of(imported: ImportedHistogram): Reading[] {
    const { classes, merged } = this.#how;
    const { histogram, daemon, labels } = imported;
    const epoch = String(this.#epochOf(imported));
    this.#countMissingSums(imported);
    return histogram.axes.flatMap((axis, at) => {
      if (!isInformative(histogram, axis)) return [];
      return divideByClass(histogram, at, classes).flatMap((part) => {
        const { label, where } = part;
        const counted = { layout: layoutInUnit(axis), counts: histogram.marginal(at, where).counts };
        const reading = (isMerged: boolean): Reading => ({
          key: readingKey(imported, at, where.length === 0 ? undefined : label, isMerged),
          attributes: {
            ...labels,
            ...(daemon !== undefined && !isMerged && { ceph_daemon: daemon }),
            ...label,
          },
          counted,
          ...this.#familyOf(imported, at, part, isMerged),
          counter: { epoch },
        });
        return merged ? [reading(false), reading(true)] : [reading(false)];
      });
    });
  }

  /** The life of a histogram. Cells of several axes show a restart that their sums along one axis may hide. */
  #epochOf(now: ImportedHistogram): number {
    const key = histogramKey(now);
    const epoch = this.#epochs.get(key) ?? rememberedEpoch(this.#memory, now);
    const { isReset } = this.#follower.advance(now);
    if (isReset) this.resets++;
    this.#epochs.set(key, epoch + Number(isReset));
    return epoch + Number(isReset);
  }

  #familyOf(
    imported: ImportedHistogram,
    at: number,
    { where }: ClassPart,
    isMerged: boolean,
  ): Pick<Reading, 'family' | 'sum'> {
    const { histogram, logger, counter } = imported;
    const axis = histogram.axes[at]!;
    // The counters of a daemon have one sum for all classes.
    const sum = where.length === 0 ? sumOf(imported, at) : undefined;
    const name = this.#how.familyName(imported, axis);
    const shown = isMerged ? mergedName(name) : name;
    let known = this.#families.get(shown);
    if (known === undefined) {
      const isMeasured = sum !== undefined;
      const whose = isMerged ? ' of all daemons' : '';
      const mark = isMeasured ? '' : '; the sum is an estimate, from the middles of the buckets';
      const description = `${axisTitle(axis)} of ${logger}.${counter}${whose}${mark}`;
      known = { options: { name: shown, description, unit: shownUnit(axis).unit }, isMeasured };
      this.#families.set(shown, known);
    }
    if (!known.isMeasured) return { family: known.options };
    // A `perf reset` among operations leaves counters that have more of them than the histogram, until the next one. Counts go on, and
    // the series states how many values have an estimated sum.
    if (sum === undefined && this.#withoutSums.get(histogramKey(imported)) === 1) {
      const cure = 'the next reading asks again, and estimates the sum when they do not either';
      throw new HdrscopeError(
        'ERR_DECODE',
        `${logger}.${counter}: the sums of perf dump must belong to the histogram, and do not this time; ${cure}`,
      );
    }
    return { family: known.options, sum };
  }

  #countMissingSums(imported: ImportedHistogram): void {
    const key = histogramKey(imported);
    const isKnown = imported.sums !== undefined || imported.measured !== undefined;
    this.#withoutSums.set(key, isKnown ? 0 : (this.#withoutSums.get(key) ?? 0) + 1);
  }
}

/** Whether an axis says anything. An axis of one slot is there for tools that want two axes. */
function isInformative({ axes }: PerfHistogram, { buckets }: Axis): boolean {
  return buckets > 1 || axes.every((axis) => axis.buckets === 1);
}

function sumOf({ histogram, sums, measured }: ImportedHistogram, at: number): number | undefined {
  const axis = histogram.axes[at]!;
  if (sums !== undefined) return sumInUnit(axis, sums[at]!);
  return measured === undefined ? undefined : sumInUnit(axis, measured[at]!.value);
}

/** `ceph.merged.osd.op_w.latency` for `ceph.osd.op_w.latency`. */
function mergedName(name: string): string {
  return name.startsWith('ceph.') ? `ceph.merged.${name.slice('ceph.'.length)}` : `${name}.merged`;
}

/** The epoch in which an earlier ingestion left a histogram. At least one axis is not divided into classes. */
function rememberedEpoch(memory: IngestMemory, histogram: ImportedHistogram): number {
  const epochs = histogram.histogram.axes.map((_, at) => latestEpoch(memory, readingKey(histogram, at)));
  return Number(epochs.find((epoch) => epoch !== undefined) ?? 0);
}

function readingKey(histogram: ImportedHistogram, axis: number, label?: object, isMerged = false): string {
  return JSON.stringify([histogramKey(histogram), axis, label, ...(isMerged ? ['merged'] : [])]);
}

/**
 * The default name of the family of an axis: the logger, the counter without `_histogram`, and the name of the axis where there are several.
 * So Prometheus' name of a histogram of one axis is the one that is proposed for ceph-exporter: `ceph_rgw_op_hist_lat_seconds`. A name ends
 * with the unit, also where the counter has the word already: `ceph_osd_op_w_latency_in_bytes_request_size_bytes`.
 * Source: https://github.com/ceph/ceph/pull/70827
 */
export function defaultFamilyName({ logger, counter, histogram }: ImportedHistogram, axis: Axis): string {
  const isOnly = histogram.axes.filter((one) => isInformative(histogram, one)).length === 1;
  const title = axisTitle(axis)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  const name = `ceph.${logger}.${counter.replace(/_histogram$/, '')}${isOnly ? '' : `.${title}`}`;
  const { unit } = shownUnit(axis);
  const isAdded = addedUnitWords(name, unit).length > 0;
  const { main } = unitSuffixes(unit);
  return isAdded || main === '' || name.endsWith(`_${main}`) ? name : `${name}_${main}`;
}

/** Classes of the values of one axis. The other axes have one series for each class. */
export interface AxisClasses {
  /** The name of the axis, such as `Request size (bytes)`. A histogram without this axis is not divided. */
  readonly axis: string;
  /** The lower bounds of all classes but the first, ascending. Each must be the lower bound of a slot. */
  readonly bounds: readonly number[];
  /** The attribute that names the class, such as `4096-65535`. @default 'size' */
  readonly attribute?: string;
}

/** The table of the option `classes`. */
export const CLASSES: OptionTable<RulesFor<AxisClasses>> = {
  name: 'classes',
  rules: {
    axis: text,
    bounds: listOf(number(), 'numbers'),
    attribute: withDefault(text, 'size'),
  },
  call: "ingestCeph(registry, fetch, { classes: { axis: 'Request size (bytes)', bounds: [4096] } })",
};

/** A part of a histogram. */
export interface ClassPart {
  /** The attribute that names the part; empty for the whole histogram. */
  readonly label: Attributes;
  readonly where: readonly ValueRange[];
}

/** The parts in which an axis is read: one for each class of another axis, or the whole histogram as one part. */
function divideByClass(
  histogram: PerfHistogram,
  at: number,
  classes: Required<AxisClasses> | undefined,
): readonly ClassPart[] {
  const divided = classes === undefined ? -1 : histogram.axes.findIndex(({ name }) => name === classes.axis);
  if (classes === undefined || divided < 0 || divided === at) return [{ label: {}, where: [] }];
  const { bounds, attribute } = classes;
  return Array.from({ length: bounds.length + 1 }, (_, i) => {
    const [from, to] = [bounds[i - 1], bounds[i]];
    return {
      label: { [attribute]: labelOf(from, to) },
      where: [{ axis: divided, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }],
    };
  });
}

function labelOf(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return to === undefined ? 'all' : `0-${to - 1}`;
  return to === undefined ? `${from}-` : `${from}-${to - 1}`;
}

/** The unit in which the values of an axis are shown. */
function shownUnit(axis: Axis): ShownUnit {
  return SHOWN_UNITS[axis.unit ?? 'none'];
}

/** The slots of an axis in the unit of its family. */
function layoutInUnit(axis: Axis): ScaledLayout<IntegerLayout> {
  return scaledLayout(integersOf(axisLayout(axis)), resolutionOf(shownUnit(axis).scale));
}

/** A sum of values of an axis, in the unit of its family. */
function sumInUnit(axis: Axis, sum: bigint | number): number {
  return fromTicks(resolutionOf(shownUnit(axis).scale), Number(sum));
}
