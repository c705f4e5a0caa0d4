import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  fromTicks,
  having,
  type OptionsOwner,
  object,
} from '@hdrscope/core/internal';
import type { MalformedLine } from '@hdrscope/interval-log';
import { readUnzipped } from '@hdrscope/interval-log/internal';
import { decodeOtlp, type OtlpEncoding, type OtlpPoint } from '@hdrscope/otel/receiver';
import {
  createRegistry,
  type Ingestion,
  IngestMemory,
  ingest,
  type Registry,
  type Snapshot,
} from '@hdrscope/registry';
import { findPlace } from './import-places.ts';
import { assertSame, type ImportSource, identifyImport } from './import-receipts.ts';
import {
  assertPartOfDay,
  DAY_MS,
  IMPORT_NAMES,
  ImportedFiles,
  type ImportedRows,
  type ImportOptions,
  Producers,
  type RowGroup,
} from './imported-files.ts';
import { SERIES_LIMITS } from './logged-series.ts';
import { type OtlpRequest, splitRequests } from './otlp-requests.ts';
import { type OtlpInterval, OtlpIntervals, OtlpLosses, StretchSums } from './otlp-rows.ts';
import { hashed, PrefixHash } from './prefix-hash.ts';
import { withRereadable } from './rereadable.ts';
import { shortHash } from './short-hash.ts';

/** A file of OTLP that is not read yet. */
export interface OtlpFile {
  /** The name of the file, for messages. */
  readonly name: string;
  /** Its content, without compression. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How it is written; `recogniseOtlp` finds it out. */
  readonly encoding: OtlpEncoding;
  /**
   * The path of the file, plain or compressed by gzip. It is the place of the file, which is read once more from there.
   * @default the attribute `host` is the place, and `bytes` are kept in a temporary file meanwhile
   */
  readonly path?: string;
}

/** What became of a file of OTLP. */
export interface ImportedOtlp {
  /** The name of the file. */
  readonly name: string;
  /** What was written. */
  readonly imported: ImportedRows;
  /** What was left out, or is known coarsely. */
  readonly losses: Readonly<OtlpLosses>;
}

/** How files of OTLP are imported. */
export interface ImportOtlpOptions extends Omit<ImportOptions, 'name' | 'onMalformed'> {
  /** Takes the requests that cannot be read; `lineNumber` is their place in the file, from 1. @default they are left out */
  readonly onMalformed?: ((request: MalformedLine, file: OtlpFile) => void) | undefined;
}

// A request has at most 64 MiB, which is about so many elements.
const MOST_ELEMENTS = 2 ** 23;
const READING = { maxElements: MOST_ELEMENTS, familyOptions: () => SERIES_LIMITS };

/**
 * Adds the histograms of files of OTLP to a history of Parquet files, exponential and explicit ones, delta and cumulative. Files that
 * follow each other belong into one call, the oldest first: streams go on from one file to the next, so that nothing counts twice. A file
 * is known by its bytes and its place, as `importLog` knows a log, so importing it again adds nothing.
 *
 * @param folder The folder of the history. It is made if it does not exist.
 * @returns What became of each file, when it is written.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when there are no files, or `everyMs` does not divide a day; `ERR_TOO_LARGE` when a request
 *   has more than 64 MiB; `ERR_ALREADY_REGISTERED` when values of a file may be there already, as `importLog` says; `ERR_HISTORY_FILE`
 *   when a file cannot be written. An error of a source or of the file system is thrown unchanged.
 * @example
 * ```ts no-run needs files of a Collector
 * import { createReadStream } from 'node:fs';
 * import { importOtlp } from '@hdrscope/inputs/history';
 *
 * const name = 'metrics.json';
 * const file = { name, bytes: createReadStream(name), encoding: 'json', path: name } as const;
 * for await (const { imported, losses } of importOtlp([file], 'history')) {
 *   console.log(imported.rows, losses.refused);
 * }
 * ```
 */
export async function* importOtlp(
  files: Iterable<OtlpFile>,
  folder: string,
  options: ImportOtlpOptions = {},
): AsyncGenerator<ImportedOtlp, void> {
  assertFollows('files', FILES, files);
  assertOptions(options, IMPORT_OTLP);
  const { everyMs = 60_000, attributes = {}, onMalformed } = options;
  assertPartOfDay(everyMs);
  const target = { folder, everyMs, attributes, onMalformed };
  const [memory, intervals] = [new IngestMemory(), new OtlpIntervals()];
  for (const file of files) {
    assertFollows('a file', FILE, file);
    yield await importFile(file, target, memory, intervals);
  }
}

const FILE = object<OtlpFile>();
const FILES = having<Iterable<OtlpFile>>('an iterable of files', Symbol.iterator);

type Target = Required<ImportOtlpOptions> & { readonly folder: string };

async function importFile(
  file: OtlpFile,
  target: Target,
  memory: IngestMemory,
  memoryOfIntervals: OtlpIntervals,
): Promise<ImportedOtlp> {
  const { path } = file;
  const place = await findPlace(path, target.attributes.host);
  const importIt = (again: OtlpFile, read: ImportSource['read']): Promise<ImportedOtlp> =>
    importAgain(again, { ...target, place, read }, memory, memoryOfIntervals);
  if (path !== undefined) return importIt(file, (other) => readUnzipped(other ?? path, undefined, UNLIMITED));
  return withRereadable(file.bytes, (kept) => {
    const read = (): AsyncIterable<Uint8Array> => createReadStream(kept as string);
    return importIt({ ...file, bytes: read() }, (other) =>
      other === undefined ? read() : readUnzipped(other, undefined, UNLIMITED),
    );
  });
}

// Metrics of one program are alike, so they may be much longer than their compressed bytes.
const UNLIMITED = Number.MAX_SAFE_INTEGER;

async function importAgain(
  file: OtlpFile,
  { everyMs, onMalformed, ...target }: Target & Pick<ImportSource, 'place' | 'read'>,
  memory: IngestMemory,
  memoryOfIntervals: OtlpIntervals,
): Promise<ImportedOtlp> {
  const { name, bytes, encoding } = file;
  const { attributes } = target;
  const from: ImportSource = {
    ...{ ...target, name },
    beginning: await hashFirstRequest(target.read(), encoding, name),
    options: shortHash(JSON.stringify([everyMs])),
  };
  const found = await identifyImport(from);
  const files = new ImportedFiles(from, found);
  const content = new PrefixHash([found.content.bytes]);
  const sums = new StretchSums(everyMs, new Producers(found.receipt.identity));
  const counting = new OtlpCounting(memory, attributes, sums);
  const losses = new OtlpLosses();
  let requests = 0;
  for await (const request of splitRequests(hashed(bytes, content), encoding, name)) {
    requests++;
    const points = await readPoints(request, losses, (error) =>
      onMalformed?.({ kind: 'malformed', lineNumber: request.place, error }, file),
    );
    const intervals: OtlpInterval[] = [];
    for (const point of points) {
      for (const interval of memoryOfIntervals.take(point)) intervals.push(interval);
    }
    await counting.take(intervals, losses);
    await writeAll(sums.ripe(requests), files);
  }
  await counting.take(memoryOfIntervals.end(), losses);
  await writeAll(sums.rest(requests), files);
  assertSame(content, found, name);
  await files.flush();
  counting.end(losses);
  losses.late = sums.late;
  return { name, imported: files.imported, losses };
}

/** Hashes the first request. A file that grows, moves or is compressed keeps it. */
async function hashFirstRequest(
  bytes: AsyncIterable<Uint8Array>,
  encoding: OtlpEncoding,
  name: string,
): Promise<string> {
  for await (const request of splitRequests(bytes, encoding, name)) {
    return shortHash(
      createHash('sha256')
        .update(request.bytes ?? '')
        .digest('hex'),
    );
  }
  return '';
}

/** Reads the points of a request that have a time. */
async function readPoints(
  { bytes, encoding, place }: OtlpRequest,
  losses: OtlpLosses,
  onMalformed: (error: HdrscopeError) => void,
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
    onMalformed(new HdrscopeError('ERR_DECODE', `request ${place}: ${error.message}`, { cause: error }));
    return [];
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
  readonly #attributes: Readonly<Record<string, string>>;
  readonly #sums: StretchSums;
  /** Takes counts that only later points are compared with. */
  readonly #before: Ingestion;
  #registry: Registry = createRegistry();
  #ingestion: Ingestion;
  #snapshot: Snapshot | undefined;
  #dayMs: number | undefined;

  constructor(memory: IngestMemory, attributes: Readonly<Record<string, string>>, sums: StretchSums) {
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
        ...{ name, unit, description, ...SERIES_LIMITS },
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
    return ingest(registry, { name: 'otlp' }, { ...options, maxStreams: SERIES_LIMITS.cardinalityLimit });
  }
}

const IMPORT_OTLP: OptionsOwner<ImportOtlpOptions> = {
  name: 'importOtlp',
  names: {
    everyMs: IMPORT_NAMES.everyMs,
    attributes: IMPORT_NAMES.attributes,
    onMalformed: IMPORT_NAMES.onMalformed,
  },
  call: 'importOtlp(files, folder, { everyMs: 60_000 })',
};
