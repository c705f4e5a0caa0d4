import { HdrscopeError } from '@hdrscope/core';
import {
  flag,
  malformed,
  mustBe,
  number,
  optional,
  type RulesFor,
  type Settings,
  withDefault,
} from '@hdrscope/core/internal';
import { Budget, isObject } from '@hdrscope/kit';
import { type Json, type JsonObject, parseFast, parseJson } from './json.ts';
import { parseXml, XML_START } from './xml.ts';

/** An object in a text, in JSON or in the XML of a daemon. */
export interface TextDocument {
  /** The daemon that `ceph tell osd.*` names before the object, on its line. */
  readonly daemon: string | undefined;
  readonly json: Json;
}

/** The options for reading a text. */
export interface DocumentOptions {
  /** The length of the longest text that is read, in characters: above 0. @default 67,108,864 */
  readonly maxLength?: number;
  /**
   * How many elements the text may have: arrays, objects and members of objects. Counts of cells are not elements. Above 0.
   * @default 100,000, and one more for each six characters: more than any dump has
   */
  readonly maxElements?: number;
  /** Whether to accept broken JSON like that in Ceph's documentation. @default false */
  readonly lenient?: boolean;
}

/** The rules of `DocumentOptions`. */
export const DOCUMENT_RULES: RulesFor<DocumentOptions, 'maxElements'> = {
  maxLength: withDefault(number({ above: 0, to: Number.POSITIVE_INFINITY }), 2 ** 26),
  maxElements: optional(number({ above: 0, to: Number.POSITIVE_INFINITY })),
  lenient: withDefault(flag, false),
};

/** Checked `DocumentOptions`, with their defaults. */
export type DocumentSettings = Settings<DocumentOptions, 'maxElements'>;

// A dump has an element for each ten characters where it is densest. An element takes up to 100 bytes of memory.
const LEAST_ELEMENTS = 100_000;
const CHARACTERS_PER_ELEMENT = 6;

// `ceph tell osd.*` names each daemon before its dump. Reports of support tools begin with other lines. Windows writes a mark first.
const START = /^\ufeff?[ \t]*(?:([^\s"{}[\]<>]+):[ \t]*)?(?=\{|<perfcounter_collection>)/gm;
const LENIENT_START =
  /^\ufeff?[ \t]*(?:([^\s"{}[\]<>]+):[ \t]*)?(?=\{|<perfcounter_collection>|"[^"\n]*"\s*:\s*\{)/gm;
// The answers of some formats end without a line end, so two of them may share a line.
const NEXT_ON_LINE = /[ \t]*(?:([^\s"{}[\]<>]+):[ \t]*)?(?=\{|<perfcounter_collection>)/y;
const REST_OF_LINE = /.*/y;

/**
 * The objects of a text. Each begins a line, or follows another one. Other lines are skipped.
 *
 * @param isExact Whether integers beyond 2^53 − 1 become bigints, which is slower. Otherwise they are rounded.
 * @throws HdrscopeError `ERR_TOO_LARGE`; `ERR_DECODE`.
 */
export function readDocuments(text: string, settings: DocumentSettings, isExact: boolean): TextDocument[] {
  const { maxLength, lenient } = settings;
  if (typeof text !== 'string') throw mustBe('ERR_DECODE', 'the text', 'a string', text);
  if (text.length > maxLength) {
    throw mustBe('ERR_TOO_LARGE', 'the length of the text', `at most ${maxLength} characters`, text.length);
  }
  const maxElements =
    settings.maxElements ?? LEAST_ELEMENTS + Math.floor(text.length / CHARACTERS_PER_ELEMENT);
  const makeBudget = (): Budget => new Budget('the text', { elements: maxElements });
  // Documents that are not JSON are read twice.
  const [fast, slow] = [makeBudget(), makeBudget()];
  const documents: TextDocument[] = [];
  for (let from = 0; ; ) {
    const match = matchAt(NEXT_ON_LINE, text, from) ?? matchAt(lenient ? LENIENT_START : START, text, from);
    if (match === null) break;
    const begin = match.index + match[0].length;
    const { json, end } =
      text[begin] === XML_START
        ? parseXml(text, begin, slow)
        : ((text[begin] === '{' && !isExact ? parseFast(text, begin, fast) : undefined) ??
          parseJson(text, begin, lenient, slow));
    documents.push({ daemon: match[1], json });
    assertReadable(text, end);
    from = end;
  }
  if (documents.length === 0) {
    const allowed = 'a line that begins with { or <perfcounter_collection>';
    throw new HdrscopeError('ERR_DECODE', `the text must have ${allowed}, got no such line`);
  }
  return documents;
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** Refuses the rest of a document's line when it has an object that would be skipped. */
function assertReadable(text: string, end: number): void {
  if (matchAt(NEXT_ON_LINE, text, end) !== null) return;
  const [rest = ''] = matchAt(REST_OF_LINE, text, end) ?? [];
  if (!rest.includes('{') && !rest.includes('<perfcounter_collection>')) return;
  throw malformed('the text after an object', 'blank, or another object', rest.trim());
}

/** The commands of a daemon whose answers are easily taken for each other. */
type PerfCommand =
  | 'perf histogram dump'
  | 'perf histogram schema'
  | 'perf dump'
  | 'perf schema'
  | 'counter dump';

const CURES: Readonly<Record<PerfCommand, string>> = {
  'perf histogram dump': 'which hdrscope ceph dump reads',
  'perf histogram schema': 'which hdrscope ceph schema reads',
  'perf dump': 'which has no histograms',
  'perf schema': 'which describes no histograms',
  'counter dump': 'which has no histograms up to Tentacle',
};

/**
 * Reads an answer. Where it is malformed because it is the answer to another command, the error says so.
 *
 * @param wanted The command whose answer is read.
 * @throws HdrscopeError as `read` does.
 */
export function readAnswer<Result>(wanted: PerfCommand, loggers: JsonObject, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HdrscopeError && error.code === 'ERR_DECODE')) throw error;
    const found = Object.values(loggers).map(answeredBy);
    const other = found.find((command) => command !== undefined);
    if (other === undefined || found.includes(wanted)) throw error;
    const cure = `this is the answer to '${other}', ${CURES[other]}; '${wanted}' is the command to ask the daemon`;
    throw new HdrscopeError('ERR_DECODE', `${error.message}: ${cure}`, { cause: error });
  }
}

/** The command that answers with such counters of a logger; `undefined` when it is unknown. */
function answeredBy(counters: Json): PerfCommand | undefined {
  if (Array.isArray(counters)) {
    return counters.some((one) => isObject(one) && 'labels' in one) ? 'counter dump' : undefined;
  }
  if (!isObject(counters)) return undefined;
  const all = Object.values(counters as JsonObject);
  if (all.some((one) => isObject(one) && 'axes' in one)) return 'perf histogram dump';
  const types = all.flatMap((one) => (isObject(one) && 'type' in one ? [one.type] : []));
  if (types.length > 0) {
    const areHistograms = types.some((type) => typeof type !== 'number' || (type & HISTOGRAM) !== 0);
    return areHistograms ? 'perf histogram schema' : 'perf schema';
  }
  const isNumber = (one: Json): boolean => typeof one === 'number' || (isObject(one) && 'avgcount' in one);
  return all.length > 0 && all.every(isNumber) ? 'perf dump' : undefined;
}

const HISTOGRAM = 0x10;
