import type { HdrscopeError } from '@hdrscope/core';
import { createStatsdReader, type StatsdMetric, type StatsdReader } from '@hdrscope/inputs/statsd';
import { reasonOf, wildcard } from '@hdrscope/kit';
import type { CountedUnit, Family, Registry, Series } from '@hdrscope/registry';
import { countSeries, findSeries, OVERFLOW_ATTRIBUTES, recordSample } from '@hdrscope/registry/internal';
import type { EntryPackets } from '../health.ts';
import { familyOf } from '../sources/shared.ts';

/** How metrics of StatsD are counted. */
export interface StatsdCounting {
  readonly attributes: Readonly<Record<string, string>>;
  /** Keys of tags that series do not get, by the names of metrics. */
  readonly dropAttributes: Readonly<Record<string, readonly string[]>>;
  /** Units by the names of metrics: the first name that fits decides. */
  readonly units: Readonly<Record<string, CountedUnit>>;
  readonly significantDigits: number;
  /** The most series of all metrics together. */
  readonly maxSeries: number;
  readonly expireAfterMs: number | undefined;
  /** Whether series have the container that a client states. */
  readonly containers: boolean;
  /** Whether a value of a sample counts for those that it stands for, or as one. */
  readonly samples: 'scaled' | 'received';
}

/** The source of an intake, which hears of what it counts. */
export interface StatsdObserver {
  /** So many values were received and handed to their series. */
  added(values: number): void;
  /** Something is true from now on that people should know. */
  note(text: string): void;
}

/** Counts packets of StatsD in a registry. */
export interface StatsdIntake {
  readonly take: StatsdReader['read'];
  /** Counts a packet that was cut, because it is too large. */
  refusePacket(): void;
  /** Looks for series that have ended: their places are free. */
  recount(): void;
  /** What has come since the call before, and the first problem of it. */
  report(): { readonly packets: EntryPackets; readonly problem: string | undefined };
}

/** A series, and what turns values of a line into its values. */
interface CountingSeries {
  readonly name: string;
  readonly series: Series;
  readonly convert: (value: number) => number;
  /** Below it, values of a family without a unit lose digits. It is 0 once that is noted. */
  leastPrecise: number;
  /** What is left of the numbers that samples stand for, which are no integers: from 0 up to 1. */
  carry: number;
}

/** A family, and the keys of tags that its series do not get. */
interface CountingFamily {
  readonly family: Family;
  readonly convert: (value: number) => number;
  readonly leastPrecise: number;
  readonly drops: ReadonlySet<string>;
}

/** Makes an intake of the packets of one source. */
export function createStatsdIntake(
  registry: Registry,
  counting: StatsdCounting,
  { added, note }: StatsdObserver,
): StatsdIntake {
  const { attributes, maxSeries, containers, samples } = counting;
  const units = Object.entries(counting.units).map(([name, unit]) => ({ name: wildcard(name), unit }));
  const drops = Object.entries(counting.dropAttributes).map(([name, keys]) => ({
    name: wildcard(name),
    keys,
  }));
  const families = new Map<string, CountingFamily>();
  /** Lines with other sample rates count in the same series, and share what is left. */
  const counters = new WeakMap<Series, CountingSeries>();
  let seriesCount = 0;
  let [estimatedValues, cutPackets] = [0, 0];
  let problem: string | undefined;

  const noted = new Set<string>();
  /** Clients may send names without end, so a note names the first one only. */
  const noteFirst = (what: string, text: string): void => {
    if (noted.has(what)) return;
    noted.add(what);
    note(text);
  };

  const recount = (): void => {
    seriesCount = 0;
    // Types of one name and unit share a family.
    const distinct = new Set([...families.values()].map(({ family }) => family));
    for (const family of distinct) seriesCount += countSeries(family);
  };

  const makeFamily = ({ name, type }: StatsdMetric): CountingFamily => {
    const unit = units.find((one) => one.name.test(name))?.unit ?? (type === 'ms' ? 'ms' : 'none');
    const { significantDigits, expireAfterMs } = counting;
    const { family: options, convert } = familyOf({
      ...{ name, unit, significantDigits, thresholds: [] },
      description: DESCRIPTIONS[type],
    });
    const known = registry.family(options);
    if (known !== undefined && known.unit !== options.unit) {
      const [has, got] = [known.unit, options.unit].map((one) =>
        one === '' ? 'no unit' : `the unit ${one}`,
      );
      throw new Error(
        `the values of "${name}" (${type}) must have the unit of the metric: it has ${has}, and they have ${got}; state one for both in units`,
      );
    }
    const family =
      known ??
      registry.histogram({
        ...options,
        cardinalityLimit: maxSeries,
        ...(expireAfterMs !== undefined && { expireAfterMs }),
      });
    const { unitsPerTick, ticksPerUnit } = family.resolution;
    return {
      family,
      convert,
      leastPrecise: unit === 'none' ? (unitsPerTick / ticksPerUnit) * 10 ** (significantDigits - 1) : 0,
      drops: new Set(drops.filter((one) => one.name.test(name)).flatMap(({ keys }) => keys)),
    };
  };

  const findFamily = (metric: StatsdMetric): CountingFamily => {
    const key = `${metric.type} ${metric.name}`;
    let found = families.get(key);
    if (found === undefined) {
      if (seriesCount >= maxSeries)
        throw new Error(`"${metric.name}" is new, and there are ${maxSeries} series (maxSeries)`);
      found = makeFamily(metric);
      families.set(key, found);
    }
    return found;
  };

  const listAttributes = (
    { tags, containerId }: StatsdMetric,
    { drops }: CountingFamily,
  ): Record<string, string> => {
    const all = {
      ...tags,
      ...(containers && containerId !== undefined && { 'container.id': containerId }),
      ...attributes,
    };
    return drops.size === 0
      ? all
      : Object.fromEntries(Object.entries(all).filter(([key]) => !drops.has(key)));
  };

  const findSeriesFor = (metric: StatsdMetric): CountingSeries | undefined => {
    let found: CountingFamily;
    try {
      found = findFamily(metric);
    } catch (error) {
      problem ??= reasonOf(error);
      return undefined;
    }
    const { family, convert, leastPrecise } = found;
    const own = listAttributes(metric, found);
    let series = findSeries(family, own);
    if (series === undefined) {
      const isFull = seriesCount >= maxSeries;
      if (isFull)
        noteFirst(
          'full',
          `there are ${maxSeries} series (maxSeries): values with other tags count in the series otel.metric.overflow of their metric`,
        );
      else seriesCount++;
      series = family.with(isFull ? OVERFLOW_ATTRIBUTES : own);
    }
    if (metric.sampleRate < 1) noteFirst('samples', SAMPLES_NOTES[samples](metric.name));
    let counter = counters.get(series);
    if (counter === undefined) {
      // Half, so that the count is the nearest integer.
      counter = { name: metric.name, series, convert, leastPrecise, carry: 0.5 };
      counters.set(series, counter);
    }
    return counter;
  };

  const noteCoarse = (counter: CountingSeries, value: number): void => {
    noteFirst(
      'coarse',
      `"${counter.name}" has values such as ${value}, which keep fewer digits, because values without a unit count in thousandths: state its unit in units`,
    );
    counter.leastPrecise = 0;
  };

  const reader = createStatsdReader<CountingSeries>({
    find: findSeriesFor,
    record(counter, values, count, sampleRate) {
      const { series, convert } = counter;
      added(count);
      for (let i = 0; i < count; i++) {
        const value = values[i]!;
        if (value < counter.leastPrecise && value > 0) noteCoarse(counter, value);
        if (sampleRate === 1 || samples === 'received') series.record(convert(value));
        else {
          const share = counter.carry + 1 / sampleRate;
          const whole = Math.floor(share);
          counter.carry = share - whole;
          if (recordSample(series, convert(value), whole)) estimatedValues += whole - 1;
        }
      }
    },
    refuse(error: HdrscopeError) {
      problem ??= error.message;
    },
  });

  return {
    take: reader.read,
    refusePacket() {
      cutPackets++;
      problem ??= 'a packet must have at most 65536 bytes';
    },
    recount,
    report() {
      const { packets, malformed, leftOut, refusedValues } = reader.health;
      const shown = problem;
      problem = undefined;
      return {
        packets: {
          received: packets + cutPackets,
          dropped: undefined,
          malformed: malformed + cutPackets,
          ...{ leftOut, refusedValues, estimatedValues },
        },
        problem: shown,
      };
    },
  };
}

const DESCRIPTIONS: Readonly<Record<StatsdMetric['type'], string>> = {
  ms: 'Timer of StatsD',
  h: 'Histogram of DogStatsD',
  d: 'Distribution of DogStatsD',
};

const SAMPLES_NOTES: Readonly<Record<StatsdCounting['samples'], (name: string) => string>> = {
  scaled: (name) =>
    `"${name}" is a sample: its counts are estimates, and no more sure than the values that came. hdrscope.agent.source.estimated.values counts the others; "samples: received" counts none of them`,
  received: (name) =>
    `"${name}" is a sample: its counts are those of the values that came (samples: received)`,
};
