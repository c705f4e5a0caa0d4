import { createHash } from 'node:crypto';
import { HdrscopeError } from '@hdrscope/core';
import { fromTicks } from '@hdrscope/core/internal';
import { decodeOtlp, type OtlpEncoding, type OtlpPoint } from '@hdrscope/otel/receiver';
import {
  createRegistry,
  type Ingestion,
  IngestMemory,
  ingest,
  type Registry,
  type Snapshot,
} from '@hdrscope/registry';
import type { MalformedTally } from '../../inputs/open-inputs.ts';
import { type Imported, ImportedFiles, Producers, type RowGroup, shortHash } from '../imported-files.ts';
import { DAY_MS, type Pairs } from '../options.ts';
import { bodiesOf, type OtlpBody } from './bodies.ts';
import { type OtlpInterval, OtlpIntervals, OtlpLosses, StretchSums } from './rows.ts';

/** Where the rows of a file go. */
interface OtlpTarget {
  readonly folder: string;
  readonly everyMs: number;
  /** Attributes of all series. */
  readonly attributes: Pairs;
  /** Gets the requests that cannot be read. */
  readonly malformed: MalformedTally;
  readonly onBytes: (bytes: number) => void;
}

/** What became of a file of OTLP. */
export interface ImportedOtlp {
  readonly imported: Imported;
  readonly losses: OtlpLosses;
}

// A body has at most 64 MiB, which is about so many elements.
const MOST_ELEMENTS = 2 ** 23;
const MOST_SERIES = 1_000_000;
const READING = { maxElements: MOST_ELEMENTS, familyOptions: () => ({ cardinalityLimit: MOST_SERIES }) };

/** Imports files of OTLP. Streams go on from one file to the next, so that nothing counts twice. */
export class OtlpImports {
  readonly #memory = new IngestMemory();
  readonly #intervals = new OtlpIntervals();

  /** Adds the histograms of a file to a history. @throws Refusal, HdrscopeError */
  async add(path: string, encoding: OtlpEncoding, target: OtlpTarget): Promise<ImportedOtlp> {
    const { folder, everyMs, attributes, malformed, onBytes } = target;
    let identity: string | undefined;
    const files = new ImportedFiles({
      name: path,
      folder,
      identity: () => identity ?? '',
      options: shortHash(JSON.stringify([everyMs, Object.entries(attributes).sort()])).slice(0, 8),
    });
    const sums = new StretchSums(everyMs, new Producers(() => identity ?? ''));
    const counting = new OtlpCounting(this.#memory, attributes, sums);
    const losses = new OtlpLosses();
    for await (const body of bodiesOf(path, encoding, onBytes)) {
      // A file that grows or moves keeps its first request.
      identity ??= shortHash(
        createHash('sha256')
          .update(body.bytes ?? '')
          .digest('hex'),
      );
      const points = await this.#pointsOf(body, path, malformed, losses);
      const intervals: OtlpInterval[] = [];
      for (const point of points) {
        for (const interval of this.#intervals.take(point)) intervals.push(interval);
      }
      await counting.take(intervals, losses);
      await writeAll(sums.ripe(), files);
    }
    await counting.take(this.#intervals.end(), losses);
    await writeAll(sums.rest(), files);
    await files.flush();
    counting.end(losses);
    losses.late = sums.late;
    return { imported: files.imported, losses };
  }

  async #pointsOf(
    { bytes, encoding, place }: OtlpBody,
    path: string,
    malformed: MalformedTally,
    losses: OtlpLosses,
  ): Promise<(OtlpPoint & { readonly timeMs: number })[]> {
    try {
      if (bytes === undefined) throw new HdrscopeError('ERR_DECODE', 'the file ends within it');
      const { points, otherPoints, refusals } = await decodeOtlp(bytes, encoding, READING);
      losses.others += otherPoints;
      losses.refuse(refusals.pointCount, refusals.message);
      const timed = points.filter(hasTime);
      losses.timeless += points.length - timed.length;
      return timed;
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      const named = new HdrscopeError('ERR_DECODE', `request ${place}: ${error.message}`, { cause: error });
      malformed.add({ kind: 'malformed', lineNumber: place, error: named }, path);
      return [];
    }
  }
}

function hasTime(point: OtlpPoint): point is OtlpPoint & { readonly timeMs: number } {
  return point.timeMs !== undefined;
}

async function writeAll(groups: Iterable<RowGroup>, files: ImportedFiles): Promise<void> {
  for (const rows of groups) await files.add(rows);
}

/** Counts points in a registry, and sums up what is new. */
class OtlpCounting {
  readonly #memory: IngestMemory;
  readonly #attributes: Pairs;
  readonly #sums: StretchSums;
  /** Takes counts that only later points are compared with. */
  readonly #before: Ingestion;
  #registry: Registry = createRegistry();
  #ingestion: Ingestion;
  #snapshot: Snapshot | undefined;
  #dayMs: number | undefined;

  constructor(memory: IngestMemory, attributes: Pairs, sums: StretchSums) {
    this.#memory = memory;
    this.#attributes = attributes;
    this.#sums = sums;
    this.#before = this.#ingestionOf(createRegistry());
    this.#ingestion = this.#ingestionOf(this.#registry);
  }

  /** Takes the points of a request. Those of one stretch of time are counted together. */
  async take(intervals: readonly OtlpInterval[], losses: OtlpLosses): Promise<void> {
    const stretches = new Map<number, OtlpInterval[]>();
    for (const interval of intervals) {
      if (interval.isBefore) {
        losses.before += interval.reading.counted.counts.total;
        this.#before.take([interval.reading]);
        continue;
      }
      const stretchMs = this.#sums.stretchOf(interval.fromMs);
      const ofStretch = stretches.get(stretchMs);
      if (ofStretch === undefined) stretches.set(stretchMs, [interval]);
      else ofStretch.push(interval);
    }
    for (const [stretchMs, ofStretch] of [...stretches].sort(([a], [b]) => a - b)) {
      await this.#count(stretchMs, ofStretch, losses);
    }
  }

  async #count(stretchMs: number, intervals: readonly OtlpInterval[], losses: OtlpLosses): Promise<void> {
    const dayMs = stretchMs - (stretchMs % DAY_MS);
    if (this.#dayMs !== undefined && dayMs > this.#dayMs) await this.#renew(losses);
    this.#dayMs = Math.max(this.#dayMs ?? dayMs, dayMs);
    const before = this.#snapshot ?? (await this.#registry.gather({ maxAgeMs: 0 }));
    const openBefore = this.#ingestion.health.open;
    for (const { details } of this.#ingestion.take(intervals.map(({ reading }) => reading))) {
      losses.refuse(1, `${JSON.stringify(details.family)} is refused: ${details.problem}`);
    }
    losses.open += this.#ingestion.health.open - openBefore;
    const fromMs = intervals.reduce((least, one) => Math.min(least, one.fromMs), Number.POSITIVE_INFINITY);
    const toMs = intervals.reduce((most, one) => Math.max(most, one.toMs), 0);
    this.#snapshot = await this.#registry.gather({ maxAgeMs: 0 });
    this.#sums.add(before, this.#snapshot, fromMs, toMs);
  }

  /** A registry for another day, with the same families, because a registry takes memory for each snapshot. */
  async #renew(losses: OtlpLosses): Promise<void> {
    losses.addRejected(this.#snapshot);
    const registry = createRegistry();
    for (const { name, unit, description, scope, resolution, layout, boundaries } of this.#snapshot
      ?.families ?? []) {
      registry.histogram({
        ...{ name, unit, description, cardinalityLimit: MOST_SERIES },
        ...(scope !== undefined && { scope }),
        ...(boundaries !== undefined && { boundaries }),
        resolution: fromTicks(resolution, 1),
        significantDigits: layout.significantDigits,
      });
    }
    this.#registry = registry;
    this.#ingestion = this.#ingestionOf(registry);
    this.#snapshot = undefined;
  }

  /** Ends the counting. */
  end(losses: OtlpLosses): void {
    losses.addRejected(this.#snapshot);
  }

  #ingestionOf(registry: Registry): Ingestion {
    const options = { memory: this.#memory, attributes: this.#attributes, epochs: 'side by side' } as const;
    return ingest(registry, { name: 'otlp' }, { ...options, maxStreams: MOST_SERIES });
  }
}
