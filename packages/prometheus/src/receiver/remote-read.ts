import { HdrscopeError } from '@hdrscope/core';
import {
  custom,
  integer,
  number,
  type OptionRules,
  optional,
  readOptions,
  type Settings,
  text,
  textsByName,
  withDefault,
} from '@hdrscope/core/internal';
import {
  asObject,
  Budget,
  inSlices,
  LONGEST_TIMER_MS,
  ProtobufWriter,
  parseJson,
  Slices,
} from '@hdrscope/kit';
import { type SenderTlsFiles, tls, url } from '@hdrscope/kit/delivery';
import { createRegistry, type Snapshot } from '@hdrscope/registry';
import { snappy } from '../remote-write/snappy.ts';
import { apiUrl, requestAnswer } from '../scraper/request-answer.ts';
import { type RemoteWriteIntakeHealth, WriteIntake } from './intake.ts';
import type { RemoteWriteReceiverOptions } from './options.ts';
import { readReadResponse, type WrittenSeries } from './read-request.ts';
import { readReceiverOptions } from './receiver.ts';
import { unsnappy } from './unsnappy.ts';

/** What is read of a server, and how it is asked. */
export interface RemoteReadOptions {
  /**
   * The URL of the server, `http:` or `https:`, without the path of its API: `http://localhost:9090`. It may have a user and a password,
   * for basic authentication.
   */
  readonly url: string;
  /** The name of the histogram: that of its family, without `_bucket`. */
  readonly metric: string;
  /** Labels that series must have, with their values. @default all series */
  readonly where?: Readonly<Record<string, string>> | undefined;
  /** The beginning, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** The end, after the beginning. */
  readonly untilMs: number;
  /** The time between two snapshots, in milliseconds: an integer of at least 1. @default 60000 */
  readonly stepMs?: number | undefined;
  /** More headers, such as `authorization`. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Files for `https:`. @default those of Node.js */
  readonly tls?: SenderTlsFiles | undefined;
  /** The longest time of a request, in milliseconds: from 1 to 2^31 - 1. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** The most bytes of an answer, decompressed: an integer of at least 1. Where more would come, less time is asked for. @default 67108864, 64 MiB */
  readonly maxBytes?: number | undefined;
  /** Cuts a request off. @default nothing does */
  readonly signal?: AbortSignal | undefined;
}

/** What has been read when a snapshot is taken, and what is not in it. */
export interface RemoteReadHealth
  extends Pick<RemoteWriteIntakeHealth, 'histograms' | 'values' | 'refused' | 'resets' | 'lostValues'> {
  /** How many series the server has named: those of buckets, sums and counts, each by itself. */
  readonly series: number;
  /**
   * How many of them came without any sample, although the server may have some: Prometheus sends native histograms from 2.44 on, and those
   * with custom boundaries later (https://github.com/prometheus/prometheus/pull/17794).
   */
  readonly emptySeries: number;
  /** Why histograms were refused: a sentence for each of the first ten. */
  readonly problems: readonly string[];
  /**
   * The counts of histograms that came after the beginning, when they came. Nothing says whether they were counted before the beginning, so
   * they are in no snapshot.
   */
  readonly undatedValues: number;
}

/** The state of a server's histogram at a moment. */
export interface RemoteReadSnapshot {
  /** All values since the beginning. */
  readonly snapshot: Snapshot;
  /** What has been read until then. */
  readonly health: RemoteReadHealth;
}

const DAY_MS = 86_400_000;
/** As in Prometheus: a series without a sample for longer has ended. */
const LOOKBACK_MS = 300_000;
const FIRST_STRETCH_MS = 3_600_000;
const MOST_PROBLEMS = 10;
/** 400,000 samples with 8 labels. */
const MOST_ELEMENTS = 10_000_000;
const MOST_SERIES = 1_000_000;
const LIMITS: RemoteWriteReceiverOptions = { cardinalityLimit: MOST_SERIES, maxStreams: MOST_SERIES };
const MOST_METADATA_BYTES = 2 ** 26;

const READ_REMOTE = {
  name: 'readRemote',
  rules: {
    url,
    metric: text,
    where: withDefault(textsByName, {}),
    sinceMs: number(),
    untilMs: number(),
    stepMs: withDefault(integer({ from: 1 }), 60_000),
    headers: withDefault(textsByName, {}),
    tls: withDefault(tls, {}),
    timeoutMs: withDefault(integer({ from: 1, to: LONGEST_TIMER_MS }), 60_000),
    maxBytes: withDefault(integer({ from: 1, to: 2 ** 30 }), 64 * 2 ** 20),
    signal: optional(custom('an AbortSignal', (value) => value instanceof AbortSignal)),
  } satisfies OptionRules<RemoteReadOptions>,
  call: "readRemote({ url: 'http://localhost:9090', metric: 'http_request_duration_seconds', sinceMs, untilMs })",
};

const {
  url: urlRule,
  headers: headersRule,
  tls: tlsRule,
  timeoutMs: timeoutRule,
  signal: signalRule,
} = READ_REMOTE.rules;
const LIST_HISTOGRAMS = {
  name: 'listRemoteHistograms',
  rules: {
    ...{ url: urlRule, headers: headersRule, tls: tlsRule, timeoutMs: timeoutRule, signal: signalRule },
  } satisfies OptionRules<ListHistogramsOptions>,
  call: "listRemoteHistograms({ url: 'http://localhost:9090' })",
};

type ReadSettings = Settings<RemoteReadOptions, 'signal'>;

/**
 * Reads what a histogram of a Prometheus server counted in a time, by remote read: native ones, native ones with custom boundaries, and
 * classic ones. The first snapshot is empty and of the beginning; then follows one at each multiple of `stepMs` since 1970, and one at the end.
 *
 * Counts are those of the samples: nothing is interpolated or extrapolated. A value belongs to the time of the first sample that has it,
 * so it may have been counted up to one interval of scrapes earlier. Counts that fall are a restart, after which all counts are new. A
 * series that comes after the beginning counts from its first sample on; what it had counted until then is `undatedValues`.
 *
 * Memory: the samples of one answer, at most `maxBytes`, and the states of all series.
 *
 * Source: https://prometheus.io/docs/prometheus/latest/querying/remote_read_api/
 *
 * @throws HdrscopeError `ERR_SCRAPE` when the server cannot be reached, does not answer in time, or has no remote read; `ERR_DECODE` when
 *   its answer is something else; `ERR_TOO_LARGE` when one millisecond has more than `maxBytes`; `ERR_INVALID_OPTION` when an option is outside
 *   the range stated on it.
 * @example
 * ```ts
 * import { readRemote } from '@hdrscope/prometheus/receiver';
 *
 * const untilMs = Date.now();
 * const past = readRemote({ url: 'http://localhost:1', metric: 'http_request_duration_seconds', sinceMs: untilMs - 3_600_000, untilMs });
 * await past.next(); //=> throws ERR_SCRAPE
 * ```
 */
export async function* readRemote(options: RemoteReadOptions): AsyncGenerator<RemoteReadSnapshot, void> {
  const settings = readOptions(options, READ_REMOTE);
  const { sinceMs, untilMs, stepMs } = settings;
  if (!(untilMs > sinceMs)) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `untilMs must be after sinceMs, ${sinceMs}, got ${untilMs}`,
    );
  }
  let nowMs = sinceMs;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const registry = createRegistry({ clock });
  const intake = new WriteIntake(
    registry,
    {
      ...readReceiverOptions(LIMITS),
      clock,
      forgetAfterMs: Number.POSITIVE_INFINITY,
    },
    { sinceMs },
  );
  const slices = new Slices();
  /** Whether each series has had a sample. */
  const seen = new Map<string, boolean>();
  const problems: string[] = [];
  const note = (all: readonly string[]): void => {
    for (const problem of all) if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  const take = async (series: readonly WrittenSeries[]): Promise<void> => {
    const written = await inSlices(intake.take({ series, metadata: [] }), slices, settings.signal);
    note(written.problems);
    note(written.assembled.problems);
  };
  const snapshotAt = async (timeMs: number): Promise<RemoteReadSnapshot> => {
    nowMs = timeMs;
    const snapshot = await registry.gather({ nowMs: timeMs });
    const { histograms, values, refused, resets, lostValues } = intake.health;
    const { undatedValues } = intake;
    const health = { histograms, values, refused, resets, lostValues, undatedValues };
    const emptySeries = [...seen.values()].filter((hasSample) => !hasSample).length;
    return { snapshot, health: { ...health, series: seen.size, emptySeries, problems: [...problems] } };
  };

  const read = async (startMs: number, endMs: number): Promise<readonly WrittenSeries[]> => {
    const all = await readStretch(settings, startMs, endMs);
    for (const { name, labels, samples, histograms } of all) {
      const key = `${name}${JSON.stringify(labels)}`;
      if (seen.get(key) !== true) seen.set(key, samples.length + histograms.length > 0);
    }
    return all;
  };

  /** Reads from a moment on, without it, as much as one answer takes. */
  const readMost = async (fromMs: number, toMs: number): Promise<Piece> => {
    for (let endMs = toMs; ; endMs = fromMs + Math.max(1, Math.floor((endMs - fromMs) / 2))) {
      try {
        return { series: await read(Math.floor(fromMs) + 1, Math.floor(endMs)), endMs };
      } catch (error) {
        const isTooLarge = error instanceof HdrscopeError && error.code === 'ERR_TOO_LARGE';
        if (!isTooLarge || endMs - fromMs <= 1) throw error;
      }
    }
  };

  for (let fromMs = Math.ceil(sinceMs - LOOKBACK_MS) - 1; fromMs < sinceMs; ) {
    const { series, endMs } = await readMost(fromMs, sinceMs);
    await take(series);
    fromMs = endMs;
  }
  yield await snapshotAt(sinceMs);
  let stretchMs = Math.max(FIRST_STRETCH_MS, stepMs);
  let fromMs = sinceMs;
  while (fromMs < untilMs) {
    const { series, endMs: toMs } = await readMost(fromMs, Math.min(untilMs, fromMs + stretchMs));
    const cut = new Cutter(series);
    for (let stepEndMs = fromMs; stepEndMs < toMs; ) {
      stepEndMs = Math.min(toMs, (Math.floor(stepEndMs / stepMs) + 1) * stepMs);
      await take(cut.takeUntil(stepEndMs));
      // No second state comes that would say which buckets there are.
      if (stepEndMs === untilMs) note((await inSlices(intake.settle(0), slices)).problems);
      // A step that goes on in the next answer has no snapshot yet.
      if (stepEndMs % stepMs === 0 || stepEndMs === untilMs) yield await snapshotAt(stepEndMs);
    }
    stretchMs = Math.min(DAY_MS, 2 * (toMs - fromMs));
    fromMs = toMs;
  }
}

/** The series of an answer, and the end of the time that it has. */
interface Piece {
  readonly series: readonly WrittenSeries[];
  readonly endMs: number;
}

/** Takes series apart by the times of their samples, from the beginning to the end. */
class Cutter {
  readonly #open: { readonly series: WrittenSeries; sample: number; histogram: number }[];

  constructor(all: readonly WrittenSeries[]) {
    this.#open = all.map((series) => ({ series, sample: 0, histogram: 0 }));
  }

  /** The series with their samples up to a time, without those that were taken before. */
  takeUntil(endMs: number): WrittenSeries[] {
    const taken: WrittenSeries[] = [];
    for (const open of this.#open) {
      const { samples, histograms } = open.series;
      const [sample, histogram] = [open.sample, open.histogram];
      while (samples[open.sample] !== undefined && samples[open.sample]!.timeMs <= endMs) open.sample++;
      while (
        histograms[open.histogram] !== undefined &&
        histograms[open.histogram]!.raw.timestampMs! <= endMs
      ) {
        open.histogram++;
      }
      if (open.sample === sample && open.histogram === histogram) continue;
      taken.push({
        ...open.series,
        samples: samples.slice(sample, open.sample),
        histograms: histograms.slice(histogram, open.histogram),
      });
    }
    return taken;
  }
}

/** Reads the series of a stretch, with both ends. */
async function readStretch(
  settings: ReadSettings,
  startMs: number,
  endMs: number,
): Promise<readonly WrittenSeries[]> {
  const { url: base, headers, timeoutMs, maxBytes, signal } = settings;
  const { bytes } = await requestAnswer({
    url: apiUrl(base, 'read'),
    body: snappy(encodeRequest(settings, startMs, endMs)),
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-read-version': '0.1.0',
      ...headers,
    },
    ...{ tls: settings.tls, timeoutMs, maxBytes, signal },
    failure: `remote read at ${apiUrl(base, 'read').host} failed`,
  });
  const budget = new Budget('the answer', { elements: MOST_ELEMENTS });
  return inSlices(readReadResponse(unsnappy(bytes, maxBytes), budget), new Slices(), signal);
}

/** How a server is asked for the names of its histograms. */
export type ListHistogramsOptions = Pick<
  RemoteReadOptions,
  'url' | 'headers' | 'tls' | 'timeoutMs' | 'signal'
>;

/**
 * Lists the histograms that a Prometheus server knows from the targets that it scrapes now. It knows no names of those that it has received
 * by remote write or loaded from files.
 *
 * @returns Names of families, sorted.
 * @throws HdrscopeError as `readRemote`.
 */
export async function listRemoteHistograms(options: ListHistogramsOptions): Promise<string[]> {
  const { url: base, headers, timeoutMs, signal, ...settings } = readOptions(options, LIST_HISTOGRAMS);
  const where = apiUrl(base, 'metadata');
  const { bytes } = await requestAnswer({
    ...{ url: where, headers, tls: settings.tls, timeoutMs, signal },
    maxBytes: MOST_METADATA_BYTES,
    failure: `the histograms of ${where.host} cannot be listed`,
  });
  const what = 'the list of metrics';
  const budget = new Budget(what, { elements: MOST_ELEMENTS, depth: 10 });
  const answer = asObject(parseJson(new TextDecoder().decode(bytes), what, budget), what);
  return Object.entries(asObject(answer.data, what))
    .flatMap(([name, all]) =>
      Array.isArray(all) && all.some((one) => asObject(one, what).type === 'histogram') ? [name] : [],
    )
    .sort();
}

// https://github.com/prometheus/prometheus/blob/main/prompb/remote.proto, ReadRequest
const REQUEST_QUERY = 0x0a;
const QUERY_START = 0x08;
const QUERY_END = 0x10;
const QUERY_MATCHER = 0x1a;
const MATCHER_TYPE = 0x08;
const MATCHER_NAME = 0x12;
const MATCHER_VALUE = 0x1a;
const EQUAL = 0;
const MATCHES = 2;

function encodeRequest({ metric, where }: ReadSettings, startMs: number, endMs: number): Uint8Array {
  const writer = new ProtobufWriter().uint32(REQUEST_QUERY).fork();
  writer.uint32(QUERY_START).int64(startMs).uint32(QUERY_END).int64(endMs);
  const match = (type: number, name: string, value: string): void => {
    writer.uint32(QUERY_MATCHER).fork();
    writer.uint32(MATCHER_TYPE).uint32(type).uint32(MATCHER_NAME).string(name).uint32(MATCHER_VALUE);
    writer.string(value).join();
  };
  const escaped = metric.replace(
    /[^a-zA-Z0-9_:]/gu,
    (character) => `\\x{${character.codePointAt(0)!.toString(16)}}`,
  );
  match(MATCHES, '__name__', `${escaped}(_bucket|_sum|_count)?`);
  for (const [name, value] of Object.entries(where)) match(EQUAL, name, value);
  return writer.join().finish();
}
