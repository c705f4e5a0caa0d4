import type { FileHandle } from 'node:fs/promises';
import { Slices } from '@hdrscope/kit';
import type { EarlierHistory, FamilyDefinition, HistorySeries } from '../history/history.ts';
import type { PackedInterval } from '../history/packed-interval.ts';
import type { EarlierFacts } from '../messages.ts';
import { encodeFrame, readFrames } from './frames.ts';
import {
  decodeRecord,
  encodeRecord,
  fromFamilyRecord,
  fromIntervalRecord,
  fromSeriesRecord,
  PAST_VERSION,
  type PastRecord,
  toFamilyRecord,
  toIntervalRecord,
  toSeriesRecord,
} from './records.ts';

// Short beside a slice.
const SERIES_PER_RECORD = 100;

/** What a file of the past has. */
export interface PastContents {
  /** The intervals that the history had when the file was begun, and all series of the file. */
  readonly history: EarlierHistory;
  /** The intervals that were added later. */
  readonly later: readonly PackedInterval[];
  /** `undefined` when the file has no interval. */
  readonly facts: EarlierFacts | undefined;
  /** The bytes before the first later interval. */
  readonly beginningBytes: number;
  /** The bytes of the file without the note at its end that a process has ended. */
  readonly bytes: number;
}

/**
 * Reads a file of the past. Frames that are damaged are left out, and counted.
 *
 * @param nowMs Intervals that end later are left out: the clock was set back since.
 * @throws Error of the system, or when a later version has written the file.
 */
export async function readPastFile(file: FileHandle, nowMs: number): Promise<PastContents> {
  const slices = new Slices();
  const families = new Map<number, FamilyDefinition>();
  const series = new Map<number, HistorySeries>();
  const intervals: PackedInterval[] = [];
  const later: PackedInterval[] = [];
  let [damagedBytes, misplacedIntervals, namelessCounts, beginningBytes] = [0, 0, 0, 0];
  let lastMs = Number.NEGATIVE_INFINITY;
  let isWhole = false;
  let bytes = 0;
  for await (const part of readFrames(file, slices)) {
    if (part.kind === 'damage') {
      damagedBytes += part.bytes;
      isWhole = false;
      continue;
    }
    const record = tryRead(part.body, families, series);
    if (record?.kind === 'version' && record.version !== PAST_VERSION) {
      throw new Error(
        `it was written by a later version of hdrscope (${record.version}): name another folder`,
      );
    }
    if (record === undefined) damagedBytes += part.body.length;
    if (record?.kind === 'end') isWhole = record.endMs === lastMs;
    if (record?.kind === 'interval') {
      isWhole = false;
      const { interval, leftOut } = fromIntervalRecord(record, (id) => series.has(id));
      namelessCounts += leftOut;
      if (interval.startMs < lastMs || interval.endMs <= interval.startMs || interval.endMs > nowMs) {
        misplacedIntervals++;
      } else {
        lastMs = interval.endMs;
        (record.isLater ? later : intervals).push(interval);
      }
    }
    if (later.length === 0) beginningBytes = part.endsAt;
    if (record?.kind !== 'end') bytes = part.endsAt;
    if (slices.isOver()) await slices.next();
  }
  const hasIntervals = Number.isFinite(lastMs);
  const found = damagedBytes + misplacedIntervals + namelessCounts > 0;
  return {
    history: { intervals, series: [...series.values()] },
    later,
    facts:
      hasIntervals || found
        ? { endMs: hasIntervals ? lastMs : nowMs, isWhole, damagedBytes, misplacedIntervals, namelessCounts }
        : undefined,
    ...{ beginningBytes, bytes },
  };
}

/**
 * Reads a record, and takes the families and series that it defines.
 *
 * @returns `undefined` when the bytes are no record.
 */
function tryRead(
  body: Buffer,
  families: Map<number, FamilyDefinition>,
  series: Map<number, HistorySeries>,
): PastRecord | undefined {
  try {
    const record = decodeRecord(body);
    if (record.kind === 'family') families.set(record.id, fromFamilyRecord(record));
    if (record.kind === 'series') {
      for (const one of fromSeriesRecord(record, families)) series.set(one.facts.id, one);
    }
    return record;
  } catch {
    return undefined;
  }
}

/** What is written at once. */
export interface PastBatch {
  readonly series: readonly HistorySeries[];
  readonly intervals: readonly PackedInterval[];
  /** Whether the intervals were added after the file was begun. */
  readonly isLater: boolean;
}

/** Writes one file of the past, from its beginning or after what it has. */
export class PastWriter {
  readonly #file: FileHandle;
  readonly #families = new Set<number>();
  #bytes: number;

  /** @param known The series that the file has, whose families it has too. */
  constructor(file: FileHandle, bytes: number, known: Iterable<HistorySeries>) {
    this.#file = file;
    this.#bytes = bytes;
    for (const { facts } of known) this.#families.add(facts.family);
  }

  /** The bytes of whole frames. */
  get bytes(): number {
    return this.#bytes;
  }

  async begin(): Promise<void> {
    await this.#write({ kind: 'version', version: PAST_VERSION }, new Slices());
  }

  /** Writes series and intervals, and forces them to the disk. Lets other work run meanwhile. */
  async write({ series, intervals, isLater }: PastBatch): Promise<void> {
    const slices = new Slices();
    for (const { facts, family } of series) {
      if (this.#families.has(facts.family)) continue;
      await this.#write(toFamilyRecord(facts.family, family), slices);
      this.#families.add(facts.family);
    }
    for (let at = 0; at < series.length; at += SERIES_PER_RECORD) {
      await this.#write(toSeriesRecord(series.slice(at, at + SERIES_PER_RECORD)), slices);
    }
    for (const interval of intervals) await this.#write(toIntervalRecord(interval, isLater), slices);
    await this.#file.datasync();
    // The system writes on into a file that somebody has removed.
    if ((await this.#file.stat()).nlink === 0) throw new Error('somebody has removed its file');
  }

  /** Notes that everything up to a time is written, and nothing follows. */
  async end(endMs: number): Promise<void> {
    await this.#write({ kind: 'end', endMs }, new Slices());
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(record: PastRecord, slices: Slices): Promise<void> {
    const frame = await encodeFrame(encodeRecord(record), slices);
    for (let at = 0; at < frame.length; ) {
      const { bytesWritten } = await this.#file.write(frame, at, frame.length - at, this.#bytes + at);
      at += bytesWritten;
    }
    this.#bytes += frame.length;
    if (slices.isOver()) await slices.next();
  }
}
