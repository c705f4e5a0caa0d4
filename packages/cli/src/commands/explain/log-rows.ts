import { type HistoryRow, rowsBetween } from '@hdrscope/history';
import { SERIES_LIMITS, seriesFinder } from '@hdrscope/inputs/internal';
import { type LogSource, type MalformedLine, readEntries, type Selection } from '@hdrscope/interval-log';
import { createLogIntake, selects } from '@hdrscope/interval-log/internal';
import { type CountedUnit, createRegistry } from '@hdrscope/registry';

/** How the rows of a log are read. */
interface ReadLogRowsOptions {
  /** The unit of values in a log that does not state it. @default 'ns' */
  readonly unit?: CountedUnit | undefined;
  /** Which intervals count. @default all */
  readonly selection?: Selection;
  /** Gets the number of bytes of each chunk of the source. An error that it throws ends the reading. @default not called */
  readonly onBytes?: (bytes: number) => void;
  /** Gets each malformed line, which is left out. */
  readonly onMalformed: (line: MalformedLine, source: LogSource) => void;
}

/** What a log counted. */
export interface LogRows {
  /** A row for each series. Their times are those of the reading. */
  readonly rows: readonly HistoryRow[];
  /** When the first interval starts, in seconds as `LogInterval.startSec`; `Infinity` when there are none. */
  readonly startSec: number;
  /** When the last interval ends; `-Infinity` when there are none. */
  readonly endSec: number;
  /** How many intervals of doubles were left out, which rows cannot have. */
  readonly leftOut: number;
  /** How many intervals were left out because their histogram cannot be decoded. */
  readonly undecodable: number;
}

/**
 * Adds up the intervals of a log: a row for each series. Series and metrics are those that an import gives them, see `importLog`. An error
 * of the source is thrown unchanged.
 *
 * @param producer Who the rows say has counted: another name for each log. Not empty.
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when the log has a metric in two units; the errors of `readEntries`.
 */
export async function readLogRows(
  source: LogSource,
  producer: string,
  { unit = 'ns', selection = {}, onBytes, onMalformed }: ReadLogRowsOptions,
): Promise<LogRows> {
  const registry = createRegistry();
  const intake = createLogIntake(registry, { seriesOf: seriesFinder(unit) }, SERIES_LIMITS);
  const isSelected = selects(selection);
  let [startSec, endSec, badLines] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for await (const entry of readEntries(source, onBytes && { onBytes })) {
    if (entry.kind === 'malformed') {
      badLines++;
      onMalformed(entry, source);
    } else if (entry.kind === 'interval') {
      if (!isSelected(entry)) continue;
      startSec = Math.min(startSec, entry.startSec);
      endSec = Math.max(endSec, entry.endSec);
    }
    intake.take(entry);
  }
  const { leftOut, malformed } = intake.result;
  const rows = [...rowsBetween(undefined, await registry.gather({ maxAgeMs: 0 }), { producer })];
  return { rows, startSec, endSec, leftOut, undecodable: malformed - badLines };
}
