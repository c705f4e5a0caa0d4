import { HdrscopeError } from '@hdrscope/core';
import type { Attributes, Clock, Family, Registry } from '@hdrscope/registry';
import { type Counted, countedExplicit, countedExponential } from './counted.ts';
import { familyOf, type MetricIdentity, type ReceivedFamilyOptions } from './families.ts';
import { type Flaw, flawOfExplicit, flawOfExponential } from './flaw.ts';
import { HealthTally } from './health.ts';
import { identityText } from './identity.ts';
import type { Increase } from './increase.ts';
import { partOf } from './part.ts';
import type { ExplicitPoint, ExponentialPoint, ReceivedMetric, Temporality } from './received.ts';
import { RefusalNotes, type Refusals } from './refusals.ts';
import { type StreamLimits, Streams } from './streams.ts';

/** How what is received becomes families and series. */
export interface IntoRegistryOptions extends StreamLimits {
  readonly resourceAttributes: readonly string[];
  readonly familyOptions: (metric: MetricIdentity) => ReceivedFamilyOptions | undefined;
  readonly clock: Clock;
}

/** Brings received metrics into a registry. */
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

  /** Adds what is new in the points of a request, and tells which of them were refused. */
  add(metrics: readonly ReceivedMetric[]): Refusals {
    const notes = new RefusalNotes();
    const nowMs = this.#options.clock.monotonicMs();
    let resource: OfResource | undefined;
    for (const metric of metrics) {
      if (resource?.attributes !== metric.resource) resource = this.#ofResource(metric.resource);
      this.#addMetric(metric, resource, notes, nowMs);
    }
    return notes.refusals();
  }

  #addMetric(metric: ReceivedMetric, resource: OfResource, notes: RefusalNotes, nowMs: number): void {
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
      const flaw = flawOfTarget(target) ?? this.#addPoint(target, point, nowMs);
      if (flaw === undefined) this.tally.points++;
      else this.#refuse(name, flaw, notes);
    }
  }

  /** All of a point is understood before any of it is added. */
  #addPoint(target: Target, point: ExplicitPoint | ExponentialPoint, nowMs: number): Flaw | undefined {
    const isExplicit = 'bounds' in point;
    const flaw = isExplicit ? flawOfExplicit(point) : flawOfExponential(point);
    if (flaw !== undefined) return flaw;
    const { startNs, timeNs } = point;
    const counted: Counted = isExplicit ? countedExplicit(point) : countedExponential(point);
    const identity = `${target.identity}${identityText(point.attributes)}`;
    const timed = { startNs, timeNs, counted };
    const step =
      target.temporality === 'delta'
        ? this.streams.delta(identity, timed, nowMs)
        : this.streams.cumulative(identity, timed, nowMs);
    if (step.kind === 'refused') return step.flaw;
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
  ): Flaw | undefined {
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

  /** When the counting began, in milliseconds since 1970: not in the future, whatever a sender's clock says. */
  #startMs(startNs: bigint): number {
    const nowMs = this.#options.clock.nowMs();
    return startNs === 0n ? nowMs : Math.min(Number(startNs / 1_000_000n), nowMs);
  }

  #ofResource(attributes: Attributes): OfResource {
    const told = this.#options.resourceAttributes.filter((key) => Object.hasOwn(attributes, key));
    const identifying = Object.fromEntries(told.map((key) => [key, attributes[key]]));
    return { attributes, identifying, identity: identityText(attributes) };
  }

  #refuse(name: string, flaw: Flaw, notes: RefusalNotes, pointCount = 1): void {
    this.tally.refused[flaw.reason] += pointCount;
    notes.add(name, flaw, pointCount);
  }
}

/** What all metrics of a resource have in common. */
interface OfResource {
  readonly attributes: Attributes;
  /** Those that are attributes of the series too. */
  readonly identifying: Attributes;
  /** Of all of them: what two processes have counted must not be taken for one. */
  readonly identity: string;
}

/** Where the points of a metric go. */
interface Target {
  readonly metric: ReceivedMetric;
  readonly temporality: Temporality;
  readonly resource: OfResource;
  readonly identity: string;
  /** Found or made when something is to be added. */
  family?: Family | Flaw;
}

const NO_HISTOGRAM: Flaw = {
  reason: 'notHistogram',
  message: 'is no histogram, and only histograms are taken',
};
const OVERFLOW: Flaw = { reason: 'countTooLarge', message: 'would bring a count above 2^53 - 1' };
const NO_NAME: Flaw = { reason: 'malformed', message: 'has no name' };
const NO_TEMPORALITY: Flaw = { reason: 'malformed', message: 'is neither delta nor cumulative' };

function flawOfTarget({ metric, temporality }: Target): Flaw | undefined {
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
