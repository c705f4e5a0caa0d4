import { HdrscopeError, mustBe } from '@hdrscope/core';
import { type Json, parseJson } from './json.ts';

/** A JSON object of a text. */
export interface TextDocument {
  /** What stands before it on its line: whom `ceph tell osd.*` asked. */
  readonly daemon: string | undefined;
  readonly json: Json;
}

/** How a text is read. */
export interface DocumentOptions {
  /** How long a text may be, in characters. @default 67,108,864 */
  readonly maxLength?: number;
  /** Whether to take JSON for what it was meant to be, as that of Ceph's documentation. @default false */
  readonly lenient?: boolean;
}

const LONGEST = 2 ** 26;

// `ceph tell osd.*` names each daemon; reports of support tools begin with lines of their own.
const START = /^[ \t]*(?:([^\s"{}[\]]+):[ \t]*)?(?=\{)/gm;
const LENIENT_START = /^[ \t]*(?:([^\s"{}[\]]+):[ \t]*)?(?=\{|"[^"\n]*"\s*:\s*\{)/gm;

/**
 * The JSON objects of a text, each at the start of a line. What stands around them is passed over.
 *
 * @param isExact Whether integers above 2^53 − 1 are told as bigints, which is slower. Otherwise they are rounded.
 * @throws HdrscopeError `ERR_TOO_LARGE`, `ERR_DECODE`
 */
export function readDocuments(
  text: string,
  { maxLength = LONGEST, lenient = false }: DocumentOptions,
  isExact: boolean,
): TextDocument[] {
  if (typeof text !== 'string') throw mustBe('ERR_DECODE', 'a dump', 'a text', text);
  if (text.length > maxLength) {
    throw mustBe('ERR_TOO_LARGE', 'the length of a dump', `at most ${maxLength} characters`, text.length);
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
    throw new HdrscopeError('ERR_DECODE', 'a dump must have a line that begins with {, got none');
  }
  return documents;
}

/** All of the rest as one value, by the fastest way there is, where that is one. */
function parsedRest(text: string, from: number): { json: Json; end: number } | undefined {
  try {
    return { json: JSON.parse(from === 0 ? text : text.slice(from)) as Json, end: text.length };
  } catch {
    return undefined;
  }
}
