import { recogniseText, type TextKind } from '@hdrscope/interval-log';
import { isEncoded } from './encoded-histogram.ts';

/** The kind of an input, by its content and not by its name. */
export type InputKind =
  /** An interval log. */
  | 'log'
  /** Percentile text, with counts. */
  | 'percentiles'
  /** Encoded histograms in Base64, without anything else. */
  | 'encoded'
  /** A text with one number per line. */
  | 'numbers'
  /** A dump of Ceph, even in XML, a plot, or the output of `hdrscope ebpf read --json`. */
  | 'json';

/** Every kind that is recognised. No command takes some of them. */
export type FoundKind = InputKind | TextKind;

// The line must be complete: a log may begin with a time.
const NUMBER_LINE = /^[ \t]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?[ \t\r]*\n/i;
// The first number may have this many header lines above it.
const HEADER_LINES = 1;

/**
 * Recognises a text by its beginning.
 *
 * @param isWhole Whether the beginning is the whole text.
 * @returns `undefined` when more of the text is needed.
 */
export function kindOf(beginning: string, isWhole: boolean): FoundKind | undefined {
  if (/^\s*[[{]/.test(beginning)) return 'json';
  if (isEncoded(beginning)) return 'encoded';
  const known = recogniseText(beginning);
  if (known !== undefined) return known;
  // A dump of Ceph may have lines of other text around it, and be XML.
  if (/"axes"\s*:|<perfcounter_collection>/.test(beginning)) return 'json';
  return hasNumber(isWhole ? `${beginning}\n` : beginning) ? 'numbers' : undefined;
}

function hasNumber(text: string): boolean {
  let at = 0;
  let others = 0;
  while (at < text.length && others <= HEADER_LINES) {
    const end = text.indexOf('\n', at) + 1;
    if (end === 0) return false;
    const line = text.slice(at, end);
    if (NUMBER_LINE.test(line)) return true;
    if (!/^\s*(?:#|$)/.test(line)) others++;
    at = end;
  }
  return false;
}

/** Ends of messages: what the file is, and which commands take it. */
export const NOT_TAKEN: Readonly<Record<FoundKind, string>> = {
  log: 'is an interval log: hdrscope log summary, diff and plot take it, and the other commands of hdrscope log',
  percentiles:
    'is percentile text, which has neither times nor intervals nor every value: hdrscope log summary, compare and convert, diff and plot take it',
  encoded: 'has encoded histograms, without times: hdrscope diff and plot take them',
  numbers: 'is a text of numbers: hdrscope record counts them, diff compares and plot draws them',
  json: 'is JSON: hdrscope plot draws dumps of Ceph, and what hdrscope has printed with --json',
  'percentiles without counts':
    'has percentiles without counts, so the number of values is unknown. The .hgrm files of HdrHistogram and wrk2 --latency have counts',
  'percentiles per interval':
    "is the table that HdrHistogram's log processor writes, with percentiles of each interval: those cannot be added up. Take the log that it was made of, or the .hgrm file beside it",
};
