import { assertFollows, custom, readOptions } from '@hdrscope/core/internal';
import type { LogEntry } from './reader/entry.ts';
import { LogParser, PARSER_RULES, type ParseLogOptions } from './reader/parser.ts';

export { recogniseText, type TextKind } from './operations/text-kind.ts';
export type { LogEntry } from './reader/entry.ts';

const PARSE_LOG = { name: 'parseLog', rules: PARSER_RULES, call: "parseLog(text, { time: 'java' })" };

/**
 * The entries of an interval log that is in memory, in any JavaScript runtime: this entry of the package imports nothing of Node.js. A
 * malformed line is an entry. The histogram of an interval is decoded by its method `histogram`. For files, compressed logs and logs that
 * are larger than memory there is `readEntries`.
 *
 * The format is that of HdrHistogram's `HistogramLogReader`: https://github.com/HdrHistogram/HdrHistogram
 *
 * @param log The text of a log, or its bytes in UTF-8.
 * @throws HdrscopeError At the first step: `ERR_INVALID_OPTION` when an option is outside its range, `ERR_TOO_LARGE` when the log has
 *   more than `maxMalformed` malformed lines.
 * @example
 * ```ts
 * import { parseLog } from '@hdrscope/interval-log/parser';
 *
 * const log = 'Tag=get,0.127,1.007,511.000,HISTFAAAACF42pNpmSzMwMDAzgABjKg08wv7D1ARJpbtjCcYAV+KBPE=\n';
 * for (const entry of parseLog(log)) {
 *   if (entry.kind === 'interval') [entry.tag, entry.histogram().totalCount]; //=> ['get', 103]
 * }
 * ```
 */
export function* parseLog(
  log: string | Uint8Array,
  options: ParseLogOptions = {},
): Generator<LogEntry, void> {
  assertFollows(
    'the log',
    custom<typeof log>(
      'a text or its bytes',
      (value) => typeof value === 'string' || value instanceof Uint8Array,
    ),
    log,
  );
  const parser = new LogParser(readOptions(options, PARSE_LOG));
  yield* parser.push(typeof log === 'string' ? new TextEncoder().encode(log) : log);
  yield* parser.end();
}
