import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { type Json, parseJson } from './json.ts';

/** A JSON object in a text. */
export interface TextDocument {
  /** The daemon that `ceph tell osd.*` names before the object, on its line. */
  readonly daemon: string | undefined;
  readonly json: Json;
}

/** The options for reading a text. */
export interface DocumentOptions {
  /** The length of the longest text that is read, in characters. @default 67,108,864 */
  readonly maxLength?: number;
  /** Whether to accept broken JSON like that in Ceph's documentation. @default false */
  readonly lenient?: boolean;
}

const LONGEST = 2 ** 26;

// `ceph tell osd.*` names each daemon before its dump. Reports of support tools begin with other lines.
const START = /^[ \t]*(?:([^\s"{}[\]]+):[ \t]*)?(?=\{)/gm;
const LENIENT_START = /^[ \t]*(?:([^\s"{}[\]]+):[ \t]*)?(?=\{|"[^"\n]*"\s*:\s*\{)/gm;

/**
 * The JSON objects of a text. Each begins a line; other text is skipped.
 *
 * @param isExact Whether integers beyond 2^53 − 1 become bigints, which is slower. Otherwise they are rounded.
 * @throws HdrscopeError `ERR_TOO_LARGE`; `ERR_DECODE`.
 */
export function readDocuments(
  text: string,
  { maxLength = LONGEST, lenient = false }: DocumentOptions,
  isExact: boolean,
): TextDocument[] {
  if (typeof text !== 'string') throw mustBe('ERR_DECODE', 'the text', 'a string', text);
  if (text.length > maxLength) {
    throw mustBe('ERR_TOO_LARGE', 'the length of the text', `at most ${maxLength} characters`, text.length);
  }
  const documents: TextDocument[] = [];
  for (let from = 0; ; ) {
    const start = lenient ? LENIENT_START : START;
    start.lastIndex = from;
    const match = start.exec(text);
    if (match === null) break;
    const begin = match.index + match[0].length;
    const { json, end } = (isExact ? undefined : parsedRest(text, begin)) ?? parseJson(text, begin, lenient);
    documents.push({ daemon: match[1], json });
    from = end;
  }
  if (documents.length === 0) {
    throw new HdrscopeError('ERR_DECODE', 'the text must have a line that begins with {, got no such line');
  }
  return documents;
}

/** The rest of the text by `JSON.parse`, the fastest way, when the rest is one value. */
function parsedRest(text: string, from: number): { json: Json; end: number } | undefined {
  try {
    return { json: JSON.parse(from === 0 ? text : text.slice(from)) as Json, end: text.length };
  } catch {
    return undefined;
  }
}
