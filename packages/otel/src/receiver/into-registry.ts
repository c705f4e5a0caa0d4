import { HdrscopeError } from '@hdrscope/core';
import { type Attributes, type Clock, canonicalText, type Family, type Registry } from '@hdrscope/registry';
import { type Counted, countedExplicit, countedExponential } from './counted.ts';
import { familyOf, type MetricIdentity, type ReceivedFamilyOptions } from './families.ts';
import { HealthTally } from './health.ts';
import type { Increase } from './increase.ts';
import { partOf } from './part.ts';
import { type PointRefusal, refusalOfExplicit, refusalOfExponential } from './point-refusal.ts';
import type { ExplicitPoint, ExponentialPoint, ReceivedMetric, Temporality } from './received.ts';
import { RefusalNotes, type Refusals } from './refusals.ts';
import { type StreamLimits, Streams } from './streams.ts';

/** How received metrics become families and series. */
export interface IntoRegistryOptions extends StreamLimits {
  readonly resourceAttributes: readonly string[];
  readonly familyOptions: (metric: MetricIdentity) => ReceivedFamilyOptions | undefined;
  readonly clock: Clock;
}

/** Adds received metrics to a registry. */
export class IntoRegistry {
  readonly tally: HealthTally = new HealthTally();
  readonly streams: Streams;
  readonly #registry: Registry;
  readonly #options: IntoRegistryOptions;

  constructor(registry: Registry, options: IntoRegistryOptions) {
    this.#registry = registry;
    this.#options = options;
    this.streams = new Streams(options);
  }

  /** Adds the increases in the points of a request. Returns which points were refused. */
  add(metrics: readonly ReceivedMetric[]): Refusals {
    const notes = new RefusalNotes();
    const nowMs = this.#options.clock.monotonicMs();
    let context: ResourceContext | undefined;
    for (const metric of metrics) {
      if (context?.attributes !== metric.resource) context = this.#contextOf(metric.resource);
      this.#addMetric(metric, context, notes, nowMs);
    }
    return notes.refusals();
  }

  #addMetric(metric: ReceivedMetric, resource: ResourceContext, notes: RefusalNotes, nowMs: number): void {
    const { data, name, scope, unit } = metric;
    if (data.kind === 'other') {
      if (data.pointCount > 0) this.#refuse(name, NO_HISTOGRAM, notes, data.pointCount);
      return;
    }
    const { kind, temporality } = data;
    const identity = JSON.stringify([scope.name, scope.version, name.toLowerCase(), unit, kind, temporality]);
    const target: Target = { metric, temporality, resource, identity: `${identity}${resource.identity}` };
    for (const point of data.points) {
      if (point.isEmpty) continue;
      const refusal = refusalOfTarget(target) ?? this.#addPoint(target, point, nowMs);
      if (refusal === undefined) this.tally.points++;
      else this.#refuse(name, refusal, notes);
    }
  }

  /** Checks all of a point before it adds any of it. */
  #addPoint(
    target: Target,
    point: ExplicitPoint | ExponentialPoint,
    nowMs: number,
  ): PointRefusal | undefined {
    const isExplicit = 'bounds' in point;
    const refusal = isExplicit ? refusalOfExplicit(point) : refusalOfExponential(point);
    if (refusal !== undefined) return refusal;
    const { startNs, timeNs } = point;
    const counted: Counted = isExplicit ? countedExplicit(point) : countedExponential(point);
    const identity = `${target.identity}${canonicalText(point.attributes)}`;
    const timed = { startNs, timeNs, counted };
    const step =
      target.temporality === 'delta'
        ? this.streams.delta(identity, timed, nowMs)
        : this.streams.cumulative(identity, timed, nowMs);
    if (step.kind === 'refused') return step.refusal;
    if (step.kind === 'duplicate') this.tally.duplicates++;
    else if (step.kind === 'late') this.tally.late++;
    else {
      const refused = this.#addIncrease(target, step.increase, point);
      if (refused !== undefined) return refused;
      step.keep();
      if (step.isReset) this.tally.resets++;
    }
    return undefined;
  }

  #addIncrease(
    target: Target,
    increase: Increase,
    { attributes, startNs }: ExplicitPoint | ExponentialPoint,
  ): PointRefusal | undefined {
    if (isNothing(increase)) return undefined;
    target.family ??= familyOf(this.#registry, target.metric, increase.buckets, this.#options.familyOptions);
    const { family } = target;
    if ('reason' in family) return family;
    try {
      const { histogram, facts } = partOf(family, increase, this.#startMs(startNs));
      family.with({ ...target.resource.identifying, ...attributes }).add(histogram, facts);
      return undefined;
    } catch (error) {
      if (error instanceof HdrscopeError && error.code === 'ERR_COUNT_OVERFLOW') return OVERFLOW;
      throw error;
    }
  }

  /** When the sender began to count, in milliseconds since 1970, and at most the present: a sender's clock may be ahead. */
  #startMs(startNs: bigint): number {
    const nowMs = this.#options.clock.nowMs();
    return startNs === 0n ? nowMs : Math.min(Number(startNs / 1_000_000n), nowMs);
  }

  #contextOf(attributes: Attributes): ResourceContext {
    const keys = this.#options.resourceAttributes.filter((key) => Object.hasOwn(attributes, key));
    const identifying = Object.fromEntries(keys.map((key) => [key, attributes[key]]));
    return { attributes, identifying, identity: canonicalText(attributes) };
  }

  #refuse(name: string, refusal: PointRefusal, notes: RefusalNotes, pointCount = 1): void {
    this.tally.refused[refusal.reason] += pointCount;
    notes.add(name, refusal, pointCount);
  }
}

/** The part of a metric's context that its resource determines. */
interface ResourceContext {
  readonly attributes: Attributes;
  /** The attributes of the resource that its series have too. */
  readonly identifying: Attributes;
  /** Made of all attributes: the streams of two processes must not be mistaken for one. */
  readonly identity: string;
}

/** The destination of the points of one metric. */
interface Target {
  readonly metric: ReceivedMetric;
  readonly temporality: Temporality;
  readonly resource: ResourceContext;
  readonly identity: string;
  /** Found or made when the first increase is added. */
  family?: Family | PointRefusal;
}

const NO_HISTOGRAM: PointRefusal = {
  reason: 'notHistogram',
  message: 'is not a histogram: only histograms are accepted',
};
const OVERFLOW: PointRefusal = { reason: 'countTooLarge', message: 'would raise a count above 2^53 - 1' };
const NO_NAME: PointRefusal = { reason: 'malformed', message: 'has no name' };
const NO_TEMPORALITY: PointRefusal = { reason: 'malformed', message: 'is neither delta nor cumulative' };

function refusalOfTarget({ metric, temporality }: Target): PointRefusal | undefined {
  if (metric.name === '') return NO_NAME;
  return temporality === undefined ? NO_TEMPORALITY : undefined;
}

function isNothing({ buckets }: Increase): boolean {
  if (buckets.kind === 'explicit') return buckets.counts.every(isZero);
  const { zeroCount, positive, negative } = buckets;
  return zeroCount === 0 && positive.counts.every(isZero) && negative.counts.every(isZero);
}

function isZero(count: number): boolean {
  return count === 0;
}
