import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { SELECTION_NAMES, type Selection, selector } from '../reader/selection.ts';
import { formatStartTime } from '../writer/format.ts';
import { OPERATION_NAMES, type OperationOptions, reportMalformed } from './options.ts';
import { readLines } from './read-lines.ts';

/**
 * Copies the selected intervals and all other lines of a log. No histogram is decoded. A log without a start time starts
 * with its first interval. If that one is left out, a line with the start time is added, so that the times of the other
 * intervals stay the same.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a
 *   malformed line, unless `onMalformed` takes it.
 */
export async function* sliceLog(
  source: LogSource,
  options: Selection & OperationOptions = {},
): AsyncGenerator<string, void> {
  assertOptions(options, SLICE_LOG);
  const isSelected = selector(options);
  let hasStart = false;
  let first: LogInterval | undefined;
  for await (const { text, entry } of readLines(source, options)) {
    if (entry?.kind === 'malformed') {
      reportMalformed(options, entry, source);
      continue;
    }
    if (entry?.kind === 'interval') {
      first ??= entry;
      if (!isSelected(entry)) continue;
      if (!hasStart && entry !== first)
        yield formatStartTime((first.startSec - first.offsetSec) * 1000, 'UTC');
      hasStart = true;
    }
    if (entry?.kind === 'start-time') hasStart = true;
    yield `${text}\n`;
  }
}

const SLICE_LOG: OptionsOwner<Selection & OperationOptions> = {
  name: 'sliceLog',
  names: { ...SELECTION_NAMES, ...OPERATION_NAMES },
  call: "sliceLog('service.hlog', { from: { offsetSec: 60 } })",
};
