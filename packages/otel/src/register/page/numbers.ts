import type { Attributes, HrTime } from '@opentelemetry/api';
import {
  type InstrumentDescriptor,
  type MetricScope,
  PointType,
  type ScopeMetrics,
  scopeKey,
} from '../../sdk.ts';
import { type AllProm, addSeries, type PromMetric, type PromSeries, type PromState } from './prom-series.ts';

// The numbers of the SDK, besides histograms of hdrscope, which registries hand over, and those of prom-client. A sum that only grows is
// handed over as its increases, as the counts of a registry are: one that was taken stays when its process ends, and none is taken twice.
// All others are levels: they are those of processes that live.

/** `MetricData` of the SDK. */
interface Metric {
  readonly descriptor: InstrumentDescriptor;
  readonly aggregationTemporality: number;
  readonly dataPointType: number;
  readonly isMonotonic?: boolean;
  readonly dataPoints: readonly NumberPoint[];
}

interface NumberPoint {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly attributes: Attributes;
  readonly value: unknown;
}

/** One point of a metric. */
interface Part {
  readonly scope: MetricScope;
  readonly metric: Omit<Metric, 'dataPoints'>;
  readonly point: NumberPoint;
}

/** What is handed over as its increases. */
type GrowingNumber = Part | PromSeries;

/** The increases of the sums of a process between two of its states. */
interface Increase {
  readonly from: number;
  readonly to: number;
  readonly sums: readonly GrowingNumber[];
}

/** The numbers that a process hands over. */
export interface HandedNumbers {
  /** A chain: each increase begins where the one before ends. */
  readonly increases: readonly Increase[];
  readonly levels: readonly Part[];
  /** Those of prom-client. */
  readonly promLevels: readonly PromMetric[];
}

/** A state of the sums of a process. */
interface State {
  readonly sequence: number;
  readonly sums: ReadonlyMap<string, GrowingNumber>;
}

/** The numbers of a process, for whoever adds them up. */
export class OwnNumbers {
  /** The state that was taken for certain, and the one that was sent last, if that is another. */
  #states: State[] = [{ sequence: 0, sums: new Map() }];
  /** What was collected last. */
  #parts: readonly Part[] = [];

  #prom: PromState = { series: [], levels: [] };

  #timeMs = 0;
  #promTimeMs = Number.POSITIVE_INFINITY;

  /** When the oldest of the numbers were collected, in milliseconds since 1970; 0 before that. */
  get timeMs(): number {
    return Math.min(this.#timeMs, this.#promTimeMs);
  }

  /** The metrics of prom-client that were read last. */
  get prom(): PromState {
    return this.#prom;
  }

  /**
   * Takes what the SDK has collected.
   *
   * @param timeMs When the collection began.
   */
  collected(scopes: readonly ScopeMetrics[], timeMs: number): void {
    this.#parts = listParts(scopes);
    this.#timeMs = timeMs;
  }

  /**
   * Takes what was read from prom-client.
   *
   * @param timeMs When reading began.
   */
  readProm(state: PromState, timeMs: number): void {
    this.#prom = state;
    this.#promTimeMs = timeMs;
  }

  /** @param taken The sequence of the state that was taken last; 0 when that is not known. */
  handOver(taken: number): HandedNumbers {
    const at = this.#states.findIndex(({ sequence }) => sequence === taken);
    if (at > 0) this.#states.splice(0, at);
    const sums = [...this.#parts.filter(isSum), ...this.#prom.series];
    const last = this.#states.at(-1)!;
    const state: State = {
      sequence: last.sequence + 1,
      sums: new Map(sums.map((sum) => [identify(sum), sum])),
    };
    // Two are enough: the state before them was taken, or it was sent to nobody who lives.
    this.#states = [this.#states[0]!, ...(this.#states.length > 1 ? [last] : []), state];
    const increases = this.#states.slice(1).map((next, i) => increaseBetween(this.#states[i]!, next));
    return { increases, levels: this.#parts.filter((part) => !isSum(part)), promLevels: this.#prom.levels };
  }

  /** Takes for granted that all was taken that was sent. */
  assumeTaken(): void {
    this.#states = this.#states.slice(-1);
  }
}

/** The sums of all processes of a service, and the levels of those that live. */
export class AllNumbers {
  /** By what identifies a point. */
  readonly #sums = new Map<string, GrowingNumber>();
  /** The sequence that was taken last, by process. */
  readonly #taken = new Map<string, number>();
  /** The levels by process. */
  readonly #levels = new Map<string, Levels>();

  get state(): NumbersState {
    return { sums: this.#sums, taken: this.#taken };
  }

  /** Goes on where another one has ended. */
  inherit({ sums, taken }: NumbersState): void {
    for (const part of sums.values()) addTo(this.#sums, part);
    for (const [name, sequence] of taken) this.#taken.set(name, sequence);
  }

  /** The sequence that was taken from a process; 0 at first. */
  takenFrom(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  /** @param mark The attributes of levels that cannot be added up. */
  take(name: string, mark: Attributes, { increases, levels, promLevels }: HandedNumbers): void {
    let taken = this.takenFrom(name);
    // Another one has taken what comes before: see `RemoteStates`.
    if (taken === 0 && increases.length > 1 && increases[0]!.from > 0) taken = increases.at(-1)!.from;
    for (const { from, to, sums } of increases) {
      if (from < taken) continue;
      for (const part of sums) addTo(this.#sums, part);
      taken = to;
    }
    this.#taken.set(name, taken);
    this.#levels.set(name, { mark, parts: levels, promLevels });
  }

  /** A process has ended: its sums stay. */
  forgetLevels(name: string): void {
    this.#levels.delete(name);
  }

  /** All numbers as metrics of the SDK. */
  metrics(): ScopeMetrics[] {
    const totals = new Map<string, Part>();
    const apart: Part[] = [];
    for (const { mark, parts } of this.#levels.values()) {
      for (const part of parts) {
        if (isAddable(part)) addTo(totals, part);
        else
          apart.push({
            ...part,
            point: { ...part.point, attributes: { ...part.point.attributes, ...mark } },
          });
      }
    }
    const sums = [...this.#sums.values()].filter((sum): sum is Part => !isSeries(sum));
    return groupByScope([...sums, ...totals.values(), ...apart]);
  }

  /** The series of prom-client, and the levels of each process. */
  prom(): AllProm {
    return {
      series: [...this.#sums.values()].filter(isSeries),
      levels: [...this.#levels.values()].map(({ promLevels }) => promLevels),
    };
  }

  /** The names of metrics whose levels cannot be added up. */
  apart(): string[] {
    const parts = [...this.#levels.values()].flatMap((one) => one.parts);
    const names = parts.filter((part) => !isAddable(part)).map(({ metric }) => metric.descriptor.name);
    return [...new Set(names)].sort();
  }
}

interface Levels {
  readonly mark: Attributes;
  readonly parts: readonly Part[];
  readonly promLevels: readonly PromMetric[];
}

/** What the numbers of a process that ended leave to the next one. */
export interface NumbersState {
  readonly sums: ReadonlyMap<string, GrowingNumber>;
  readonly taken: ReadonlyMap<string, number>;
}

function addTo<One extends GrowingNumber>(sums: Map<string, One>, sum: One): void {
  const key = identify(sum);
  const known = sums.get(key);
  sums.set(key, known === undefined ? sum : (add(known, sum) as One));
}

function add(known: GrowingNumber, sum: GrowingNumber): GrowingNumber {
  if (isSeries(known)) return addSeries(known, sum as PromSeries);
  const { point } = sum as Part;
  const value = (known.point.value as number) + (point.value as number);
  return { ...known, point: { ...known.point, endTime: point.endTime, value } };
}

function isSeries(sum: GrowingNumber): sum is PromSeries {
  return 'growing' in sum;
}

function isSum({ metric }: Part): boolean {
  return metric.dataPointType === PointType.SUM && metric.isMonotonic === true;
}

/** A sum that may fall, such as the requests that are active: the sum over the processes that live is one, too. */
function isAddable({ metric }: Part): boolean {
  return metric.dataPointType === PointType.SUM;
}

function increaseBetween(before: State, now: State): Increase {
  const sums: GrowingNumber[] = [];
  for (const [key, sum] of now.sums) {
    const earlier = before.sums.get(key);
    // A counter that has not counted yet is shown, too.
    if (earlier === undefined || !hasSameValues(sum, earlier)) sums.push(subtract(sum, earlier));
  }
  return { from: before.sequence, to: now.sequence, sums };
}

/** Most have not counted since: this is quick for them. */
function hasSameValues(sum: GrowingNumber, earlier: GrowingNumber): boolean {
  if (sum === earlier) return true;
  const before = valuesOf(earlier);
  return valuesOf(sum).every((value, i) => value === before[i]);
}

/** A counter that is lower than before has begun anew; a histogram has when one of its buckets has. */
function subtract(sum: GrowingNumber, earlier: GrowingNumber | undefined): GrowingNumber {
  if (earlier === undefined) return sum;
  const [values, before] = [valuesOf(sum), valuesOf(earlier)];
  const growing = isSeries(sum) ? sum.growing : 1;
  if (values.some((value, i) => i < growing && value < before[i]!)) return sum;
  const added = values.map((value, i) => value - before[i]!);
  return isSeries(sum) ? { ...sum, values: added } : { ...sum, point: { ...sum.point, value: added[0] } };
}

function valuesOf(sum: GrowingNumber): readonly number[] {
  return isSeries(sum) ? sum.values : [sum.point.value as number];
}

function listParts(scopes: readonly ScopeMetrics[]): Part[] {
  return scopes.flatMap(({ scope, metrics }) =>
    (metrics as unknown as readonly Metric[]).flatMap(({ dataPoints, ...metric }) =>
      dataPoints.map((point) => ({ scope: plain(scope), metric, point })),
    ),
  );
}

/** Copies of an SDK have classes for scopes; a message has none. */
function plain({ name, version, schemaUrl }: MetricScope): MetricScope {
  return { name, version, schemaUrl };
}

function identify(sum: GrowingNumber): string {
  if (isSeries(sum)) return `prom-client ${sum.key}`;
  const { scope, metric, point } = sum;
  const { name, unit, valueType } = metric.descriptor;
  const attributes = Object.entries(point.attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([scopeKey(scope), name, unit, valueType, attributes]);
}

function groupByScope(parts: readonly Part[]): ScopeMetrics[] {
  const scopes = new Map<
    string,
    { scope: MetricScope; metrics: Map<string, Metric & { dataPoints: NumberPoint[] }> }
  >();
  for (const { scope, metric, point } of parts) {
    const inScope = scopes.get(scopeKey(scope)) ?? { scope, metrics: new Map() };
    scopes.set(scopeKey(scope), inScope);
    const { name, unit, valueType } = metric.descriptor;
    const key = JSON.stringify([name, unit, valueType, metric.dataPointType]);
    const known = inScope.metrics.get(key) ?? { ...metric, dataPoints: [] };
    inScope.metrics.set(key, known);
    known.dataPoints.push(point);
  }
  return [...scopes.values()].map(({ scope, metrics }) => ({ scope, metrics: [...metrics.values()] }));
}
