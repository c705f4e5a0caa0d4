import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { LogSource } from '@hdrscope/interval-log';
import { readText, recogniseText, type TextKind } from '@hdrscope/interval-log/internal';
import { type Io, Refusal } from '../command.ts';
import { isValue, tableOf } from '../numbers/number-texts.ts';
import { systemErrorText } from '../system-error.ts';
import { isEncoded } from './encoded-histogram.ts';
import { LOAD_NOT_TAKEN, type LoadKind, loadKindOf } from './load-tools/load.ts';

/** The kind of an input, by its content and not by its name. */
export type InputKind =
  /** An interval log. */
  | 'log'
  /** Percentile text, with counts. */
  | 'percentiles'
  /** Encoded histograms in Base64, without anything else. */
  | 'encoded'
  /** A text with one number per line, perhaps with a unit. */
  | 'numbers'
  /** What record and log convert print as JSON: figures with their encoded histograms. */
  | 'recorded'
  /** Other JSON, or a dump of Ceph, even in XML. */
  | 'json';

/** Every kind that is recognised. No command takes some of them. */
export type FoundKind =
  | InputKind
  | LoadKind
  | TextKind
  /** Figures in JSON, without the counts that they were made of. */
  | 'figures'
  /** Columns with titles or numbers. */
  | 'table'
  | 'picture'
  /** A program, an archive, and everything else that is not text. */
  | 'binary';

// Slots have the counts.
const FIGURES = /"percentiles"\s*:\s*\[\s*\{\s*"percentile"(?![\s\S]*"slots"\s*:)/;
const RECORDED = /"encoded"\s*:\s*"D?HIST/;
/** An interval with a histogram of doubles. */
const DOUBLE_LOG = /^[^#\n].*[ ,]DHIST[A-Za-z0-9+/]/m;
/** The titles of `hdrscope log convert --format csv`, whose rows have histograms as a log has. */
const CONVERTED = /^start_s,end_s,tag,count,/;
// What is left of the first bytes of PNG, JPEG, GIF, WebP and PDF when they are read as text; SVG is text.
const PICTURE =
  /^(?:\ufffdPNG|\ufffd{3}|GIF8|RIFF[\s\S]{4,8}WEBP|%PDF|\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<svg\b)/;
// The first number may have this many header lines above it.
const HEADER_LINES = 1;

/**
 * Recognises a text by its beginning.
 *
 * @param isWhole Whether the beginning is the whole text.
 * @returns `undefined` when more of the text is needed.
 */
export function kindOf(beginning: string, isWhole: boolean): FoundKind | undefined {
  const load = loadKindOf(beginning);
  if (load !== undefined) return load;
  if (PICTURE.test(beginning)) return 'picture';
  if (beginning.includes('\0')) return 'binary';
  if (/^\s*[[{]/.test(beginning)) return jsonKind(beginning);
  if (isEncoded(beginning)) return 'encoded';
  if (CONVERTED.test(beginning)) return 'table';
  if (DOUBLE_LOG.test(beginning)) return 'log';
  const known = recogniseText(beginning);
  if (known !== undefined) return known;
  // A dump of Ceph may have lines of other text around it, and be XML.
  if (/"axes"\s*:|<perfcounter_collection>/.test(beginning)) return 'json';
  const lines = isWhole ? `${beginning}\n` : beginning;
  if (hasNumber(lines)) return 'numbers';
  return isTable(lines) ? 'table' : undefined;
}

function jsonKind(beginning: string): 'recorded' | 'figures' | 'json' {
  if (RECORDED.test(beginning)) return 'recorded';
  return FIGURES.test(beginning) ? 'figures' : 'json';
}

const TABLE_LINES = 2;

function isTable(text: string): boolean {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1);
  return lines.split('\n').length > TABLE_LINES && tableOf(lines) !== undefined;
}

function hasNumber(text: string): boolean {
  let at = 0;
  let others = 0;
  while (at < text.length && others <= HEADER_LINES) {
    const end = text.indexOf('\n', at) + 1;
    if (end === 0) return false;
    const line = text.slice(at, end);
    if (isValue(line.trim().replace(/^-/, ''))) return true;
    if (!/^\s*(?:#|$)/.test(line)) others++;
    at = end;
  }
  return false;
}

/** Ends of messages: what the file is, and which commands take it. */
export const NOT_TAKEN: Readonly<Record<FoundKind, string>> = {
  ...LOAD_NOT_TAKEN,
  log: 'is an interval log: hdrscope log summary, check, diff, plot and serve take it, and the other commands of hdrscope log',
  percentiles:
    'is percentile text, which has neither times nor intervals nor every value: hdrscope log summary and convert, check, diff, plot and serve take it',
  encoded: 'has encoded histograms, without times: hdrscope diff, plot and check take them',
  numbers:
    'is a text of numbers: hdrscope record counts them, diff compares, plot draws and check judges them; record --format hlog makes a log of them',
  recorded:
    'has figures and encoded histograms in JSON: hdrscope diff, plot and check take them; record and log convert write logs as well (--format hlog, v2)',
  figures:
    'has percentiles without the counts between them: hdrscope record --json, log convert --format ndjson, ebpf read --json and ceph dump --raw write the counts, which diff and plot take',
  json: 'is JSON: hdrscope plot draws dumps of Ceph, slots of the kernel, and plots',
  table: 'is a table: hdrscope record, diff, plot and check count one of its columns',
  picture: 'is a picture: hdrscope reads logs, texts of numbers, percentile text, histograms and JSON',
  binary:
    'is not text: hdrscope reads logs, texts of numbers, percentile text, histograms and JSON, plain or gzipped',
  'percentiles without counts':
    'has percentiles without counts, so the number of values is unknown. The .hgrm files of HdrHistogram and wrk2 --latency have counts',
  'percentiles per interval':
    "is the table that HdrHistogram's log processor writes, with percentiles of each interval: those cannot be added up. Take the log that it was made of, or the .hgrm file beside it",
};

// Recognition of a file or stream.

/** A file or stream, and its kind by its content. */
interface Recognised {
  /** `undefined` when its beginning is not enough. */
  readonly kind: FoundKind | undefined;
  /** The whole input, from its beginning. */
  readonly source: LogSource;
  /** Its first lines, decompressed, or all of them. */
  readonly beginning: string;
}

/** How much of an input is read to recognise it: its beginning, or only the first chunk when more may come late. */
export type Patience = 'beginning' | 'first chunk';

// More than the text above the table of wrk2, or above the first interval of a log.
const BEGINNING_BYTES = 2 ** 16;

/** Recognises a file or stream by its beginning. A stream can be read only once, so its source begins with what was read. */
export async function recognise(
  path: string,
  isFile: boolean,
  io: Io,
  patience: Patience,
): Promise<Recognised> {
  if (isFile) {
    const beginning = await readText(path, BEGINNING_BYTES);
    const isWhole = patience === 'beginning' && beginning.length < BEGINNING_BYTES;
    return { kind: kindOf(beginning, isWhole), source: path, beginning };
  }
  const enough = patience === 'beginning' ? BEGINNING_BYTES : 1;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let kind: FoundKind | undefined;
  let beginning = '';
  const rest = (path === '-' ? io.stdin : createReadStream(path, { signal: io.signal }))[
    Symbol.asyncIterator
  ]();
  while (bytes < enough && (kind === undefined || (kind === 'json' && !showsMore(beginning)))) {
    const { done, value } = await rest.next();
    const isOver = done === true;
    if (!isOver) {
      chunks.push(value);
      bytes += value.length;
    }
    beginning = await readText(chunks, BEGINNING_BYTES);
    kind = kindOf(beginning, isOver && patience === 'beginning');
    if (isOver) break;
  }
  return { kind, source: new BegunStream(path, chunks, rest), beginning };
}

// A document in one line may be long; a histogram in it comes early.
const LONG_LINE = 8192;

/** Whether the beginning of JSON shows what it is: it has a document in a line of its own. */
function showsMore(beginning: string): boolean {
  return beginning.includes('}\n') || beginning.length > LONG_LINE;
}

/** A stream whose first chunks were read already. It keeps the name that the person gave it. */
class BegunStream implements AsyncIterable<Uint8Array> {
  readonly path: string;
  readonly #begun: readonly Uint8Array[];
  readonly #rest: AsyncIterator<Uint8Array>;

  constructor(path: string, begun: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>) {
    this.path = path;
    this.#begun = begun;
    this.#rest = rest;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      yield* this.#begun;
      for (let next = await this.#rest.next(); next.done !== true; next = await this.#rest.next()) {
        yield next.value;
      }
    } finally {
      await this.#rest.return?.();
    }
  }
}

/** The name of a source in messages. */
export function nameOf(source: LogSource): string {
  if (typeof source === 'string') return source;
  return source instanceof BegunStream ? nameOfPath(source.path) : nameOfPath('-');
}

// Files.

/**
 * The size of an input file in bytes; `undefined` for pipes and everything else that is not a plain file.
 *
 * @throws Refusal
 */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Refusal(`${path} is a folder, and a file is needed`);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(systemErrorText(error, path), { cause: error });
  }
}

/** The name of a path in messages. */
export function nameOfPath(path: string): string {
  return path === '-' ? 'standard input' : path;
}
