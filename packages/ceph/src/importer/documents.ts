import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { Budget } from '@hdrscope/kit';
import { assertPositive } from '../positive.ts';
import { type Json, parseFast, parseJson } from './json.ts';
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

const LONGEST = 2 ** 26;

// A dump has an element for each ten characters where it is densest. An element takes up to 100 bytes of memory.
const LEAST_ELEMENTS = 100_000;
const CHARACTERS_PER_ELEMENT = 6;

// `ceph tell osd.*` names each daemon before its dump. Reports of support tools begin with other lines.
const START = /^[ \t]*(?:([^\s"{}[\]<>]+):[ \t]*)?(?=\{|<perfcounter_collection>)/gm;
const LENIENT_START =
  /^[ \t]*(?:([^\s"{}[\]<>]+):[ \t]*)?(?=\{|<perfcounter_collection>|"[^"\n]*"\s*:\s*\{)/gm;

/** @throws HdrscopeError `ERR_INVALID_OPTION` when a limit is not a number above 0. */
export function assertDocumentLimits({ maxLength, maxElements }: DocumentOptions): void {
  if (maxLength !== undefined) assertPositive('maxLength', maxLength);
  if (maxElements !== undefined) assertPositive('maxElements', maxElements);
}

/**
 * The objects of a text. Each begins a line; other text is skipped.
 *
 * @param isExact Whether integers beyond 2^53 − 1 become bigints, which is slower. Otherwise they are rounded.
 * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_TOO_LARGE`; `ERR_DECODE`.
 */
export function readDocuments(text: string, options: DocumentOptions, isExact: boolean): TextDocument[] {
  assertDocumentLimits(options);
  const { maxLength = LONGEST, lenient = false } = options;
  if (typeof text !== 'string') throw mustBe('ERR_DECODE', 'the text', 'a string', text);
  if (text.length > maxLength) {
    throw mustBe('ERR_TOO_LARGE', 'the length of the text', `at most ${maxLength} characters`, text.length);
  }
  const maxElements =
    options.maxElements ?? LEAST_ELEMENTS + Math.floor(text.length / CHARACTERS_PER_ELEMENT);
  const makeBudget = (): Budget => new Budget('the text', { elements: maxElements });
  // Documents that are not JSON are read twice.
  const [fast, slow] = [makeBudget(), makeBudget()];
  const documents: TextDocument[] = [];
  for (let from = 0; ; ) {
    const start = lenient ? LENIENT_START : START;
    start.lastIndex = from;
    const match = start.exec(text);
    if (match === null) break;
    const begin = match.index + match[0].length;
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
  return documents;
}
