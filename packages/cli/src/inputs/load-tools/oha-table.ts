import { cellsOf } from '../../numbers/table-text.ts';
import type { LoadInput } from './load-input.ts';
import { isRequest, type RequestSink } from './request-sink.ts';
import { type LineReading, readLines } from './text-lines.ts';

/**
 * Reads `oha --output-format csv`: a line for each request that got a response, with times in seconds. Requests without a response
 * have no line, so the table does not state how many requests failed.
 * Source: oha, `src/printer.rs`, `print_csv`.
 */
export function readOhaTable(input: LoadInput, reading: LineReading, sink: RequestSink): Promise<void> {
  return readLines(input, reading, (line, lineNumber) => {
    if (lineNumber === 1) return;
    const cells = cellsOf(line, ',');
    const [startSec, durationMs] = [numberOf(cells[0]), millisecondsOf(numberOf(cells[4]))];
    if (isRequest(durationMs, startSec)) sink.onRequest(durationMs, startSec);
    else {
      const fault = 'must begin with 5 numbers of at least 0, separated by commas';
      reading.badLines.add(lineNumber, () => `${input.name}: line ${lineNumber} ${fault}`);
    }
  });
}

function numberOf(cell: string | undefined): number {
  return cell === undefined || cell === '' ? Number.NaN : Number(cell);
}

function millisecondsOf(seconds: number): number {
  // 0.0051 s are 5.1 ms, not 5.1000000000000005.
  return Number((seconds * 1000).toPrecision(15));
}
