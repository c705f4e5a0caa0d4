import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { formatStartTime } from '../writer/format.ts';
import { readLines } from './read-lines.ts';
import { type OperationOptions, reportMalformed, type Selection, selects } from './selection.ts';

/**
 * Copies a part of a log, line by line: intervals as they are selected, and all other lines, with what they tell of the
 * times. No histogram is decoded. Where the log tells no start, and so starts with its first interval, a line is added
 * that tells it if that interval is left out: the times of the others stay what they were.
 *
 * @throws HdrscopeError `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a malformed line, unless `onMalformed` takes it.
 */
export async function* sliceLog(
  source: LogSource,
  options: Selection & OperationOptions = {},
): AsyncGenerator<string, void> {
  const isSelected = selects(options);
  let isStartTold = false;
  let first: LogInterval | undefined;
  for await (const { text, entry } of readLines(source, options)) {
    if (entry?.kind === 'malformed') {
      reportMalformed(options, entry, source);
      continue;
    }
    if (entry?.kind === 'interval') {
      first ??= entry;
      if (!isSelected(entry)) continue;
      if (!isStartTold && entry !== first)
        yield formatStartTime((first.startSec - first.offsetSec) * 1000, 'UTC');
      isStartTold = true;
    }
    if (entry?.kind === 'start-time') isStartTold = true;
    yield `${text}\n`;
  }
}
