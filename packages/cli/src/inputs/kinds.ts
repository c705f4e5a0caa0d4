import { recogniseText, type TextKind } from '@hdrscope/interval-log';
import { isEncoded } from './encoded-histogram.ts';

/** What a file is, by its content; whatever it is called. */
export type InputKind =
  /** An interval log. */
  | 'log'
  /** Percentile text, with counts. */
  | 'percentiles'
  /** Encoded histograms in Base64, without anything else. */
  | 'encoded'
  /** A text with a number in a line. */
  | 'numbers'
  /** A dump of Ceph, a plot, or what `hdrscope ebpf read --json` has printed. */
  | 'json';

/** What a text can be told to be, some of which no command takes. */
export type FoundKind = InputKind | TextKind;

// Such a line is waited for to its end: a log may begin with a time.
const NUMBER_LINE = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[ \t\r]*\n/i;
// So many lines above the first number are a header.
const HEADER_LINES = 1;

/**
 * @param isWhole Whether nothing follows.
 * @returns `undefined` where the rest has to tell.
 */
export function kindOf(beginning: string, isWhole: boolean): FoundKind | undefined {
  if (/^\s*[[{]/.test(beginning)) return 'json';
  if (isEncoded(beginning)) return 'encoded';
  const known = recogniseText(beginning);
  if (known !== undefined) return known;
  // A dump of Ceph may have lines of other text around it.
  if (/"axes"\s*:/.test(beginning)) return 'json';
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

/** What such a file is, and which commands take it. */
export const NOT_TAKEN: Readonly<Record<FoundKind, string>> = {
  log: 'is an interval log: hdrscope log summary, diff and plot take it, and the other commands of hdrscope log',
  percentiles:
    'is percentile text, which has neither times nor intervals nor every value: hdrscope log summary, compare and convert, diff and plot take it',
  encoded: 'has encoded histograms, without times: hdrscope diff and plot take them',
  numbers: 'is a text of numbers: hdrscope record counts them, diff compares and plot draws them',
  json: 'is JSON: hdrscope plot draws it where it is a dump of Ceph, or what hdrscope has printed with --json',
  'percentiles without counts':
    'has percentiles without counts: nothing tells how many values they are of. The .hgrm files of HdrHistogram tell it, and wrk2 --latency',
  'percentiles per interval':
    "is the table that HdrHistogram's log processor writes, with percentiles of each interval: those cannot be added up. Take the log that it was made of, or the .hgrm file beside it",
};
