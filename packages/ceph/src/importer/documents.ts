import { HdrscopeError } from '@hdrscope/core';
import {
  flag,
  mustBe,
  number,
  optional,
  type RulesFor,
  type Settings,
  withDefault,
} from '@hdrscope/core/internal';
import { Budget, isObject } from '@hdrscope/kit';
import { isHistogram } from './fields.ts';
import { type Json, type JsonObject, lineAt, parseFast, parseJson, quoted, wrongText } from './json.ts';
import { parseXml, XML_START } from './xml.ts';

/** An object in a text, in JSON or in the XML of a daemon. */
export interface TextDocument {
  /** The daemon that `ceph tell osd.*` names before the object, on its line. */
  readonly daemon: string | undefined;
  readonly json: Json;
}

/** The objects of a text. */
export interface TextDocuments {
  /** At least one. */
  readonly documents: readonly TextDocument[];
  /** What else the text has, as sentences. */
  readonly notes: readonly string[];
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

// Answers in `json` and `xml` end without a line end. Windows writes a byte order mark before each text, and texts are joined.
const BLANKS = /[ \t\r\n\ufeff]*/y;
// `ceph tell osd.*` names each daemon before its dump.
const START = /(?:([^\s"{}[\]<>]+):[ \t]*)?(?:<\?xml[^<>]*>[ \t\r\n]*)?(?=\{|<perfcounter_collection>)/y;
const LENIENT_START =
  /(?:([^\s"{}[\]<>]+):[ \t]*)?(?=\{|<perfcounter_collection>|"[^"\n]*"[ \t\r\n]*:[ \t\r\n]*\{)/y;
const LINE = /[^\r\n]*/y;
// A dump that is cut at its end begins with { or <, and one that is cut at its beginning ends with } or >. A lenient one begins with ".
// Files have NULs where a crash of the machine has lost their bytes.
const PART_OF_DUMP = /[{}<>\0]|^"/;
// The name of a daemon, or a part of it. The line is not ended, so the rest may be cut off.
const NAME = /^[^\s"[\]]+[ \t]*$/;

/**
 * The objects of a text, one after the other, with or without blanks between them. A line of other text is skipped and noted where it cannot
 * be a part of an object: reports of support tools and terminals have such lines.
 *
 * @param isExact Whether integers beyond 2^53 − 1 become bigints, which is slower. Otherwise they are rounded.
 * @throws HdrscopeError `ERR_TOO_LARGE`; `ERR_DECODE` also when an object is cut, or the text has other bytes than those above.
 */
export function readDocuments(text: string, settings: DocumentSettings, isExact: boolean): TextDocuments {
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
  const skipped = new SkippedLines(text);
  for (let from = 0; ; ) {
    const at = from + lengthAt(BLANKS, text, from);
    if (at === text.length) break;
    const match = matchAt(lenient ? LENIENT_START : START, text, at);
    if (match === null) {
      const isLineStart = documents.length === 0 || /[\r\n]/.test(text.slice(from - 1, at));
      from = at + lengthAt(LINE, text, at);
      skipped.add(at, from, isLineStart, documents.length > 0);
      continue;
    }
    const begin = at + match[0].length;
    const { json, end } =
      text[begin] === XML_START
        ? parseXml(text, begin, slow)
        : ((text[begin] === '{' && !isExact ? parseFast(text, begin, fast) : undefined) ??
          parseJson(text, begin, lenient, slow));
    documents.push({ daemon: match[1], json });
    from = end;
  }
  if (documents.length === 0) {
    const allowed = 'a line that begins with { or <perfcounter_collection>';
    throw new HdrscopeError('ERR_DECODE', `the text must have ${allowed}, got no such line`);
  }
  return { documents, notes: skipped.notes() };
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

function lengthAt(pattern: RegExp, text: string, index: number): number {
  return matchAt(pattern, text, index)?.[0].length ?? 0;
}

/** The lines of a text that no dump has. */
class SkippedLines {
  readonly #text: string;
  #count = 0;
  #first: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * @param isLineStart Whether no document is on this line.
   * @throws HdrscopeError `ERR_DECODE` when it may be a part of a document.
   */
  add(from: number, end: number, isLineStart: boolean, isAfterDocument: boolean): void {
    const text = this.#text;
    if (!isLineStart) throw wrongText(text, from, 'blank, or another dump,');
    const line = text.slice(from, end);
    const part = PART_OF_DUMP.exec(line);
    if (part !== null) {
      const cure = 'a part of a dump, or other text with one of { } < > or NUL, must be removed';
      throw wrongText(text, from, `a whole dump (${cure})`);
    }
    if (isAfterDocument && end === text.length && NAME.test(line))
      throw wrongText(text, from, 'a whole dump, not a name without one or a line that does not end,');
    this.#count++;
    this.#first ??= `line ${lineAt(text, from).line}, ${quoted(line)}`;
  }

  notes(): string[] {
    if (this.#first === undefined) return [];
    const which = this.#count === 1 ? this.#first : `${this.#count} lines, the first is ${this.#first}`;
    return [`skipped, as it is no part of a dump: ${which}`];
  }
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
    const entries = (counters as readonly Json[]).filter((one): one is JsonObject => isObject(one));
    // An answer with histograms is read as a dump of them, whichever command it answers.
    if (entries.some((one) => isObject(one.counters) && Object.values(one.counters).some(isHistogram)))
      return 'perf histogram dump';
    return entries.some((one) => 'labels' in one) ? 'counter dump' : undefined;
  }
  if (!isObject(counters)) return undefined;
  const all = Object.values(counters as JsonObject);
  if (all.some(isHistogram)) return 'perf histogram dump';
  const types = all.flatMap((one) => (isObject(one) && 'type' in one ? [one.type] : []));
  if (types.length > 0) {
    const areHistograms = types.some((type) => typeof type !== 'number' || (type & HISTOGRAM) !== 0);
    return areHistograms ? 'perf histogram schema' : 'perf schema';
  }
  const isNumber = (one: Json): boolean => typeof one === 'number' || (isObject(one) && 'avgcount' in one);
  return all.length > 0 && all.every(isNumber) ? 'perf dump' : undefined;
}

const HISTOGRAM = 0x10;
