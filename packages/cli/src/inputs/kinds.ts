import { recogniseText, type TextKind } from '@hdrscope/interval-log/internal';
import { isValue, tableOf } from '../numbers/table-text.ts';
import { isEncoded } from './encoded-histogram.ts';
import { LOAD_NOT_TAKEN, type LoadKind, loadKindOf } from './load-tools/load-kind.ts';

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
