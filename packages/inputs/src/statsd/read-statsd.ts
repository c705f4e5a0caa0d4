import type { HdrscopeError } from '@hdrscope/core';
import { assertFollows } from '@hdrscope/core/internal';
import { byteArray } from '../bytes.ts';
import type { StatsdMetric } from './metric.ts';
import { createStatsdReader, type StatsdHealth } from './reader.ts';

/** The values of a line, and what they have in common. */
export interface StatsdValues extends StatsdMetric {
  /** As the line has them: at least one. */
  readonly values: readonly number[];
}

/** A packet of StatsD. */
export interface StatsdPacket {
  /** The lines that have values of a distribution, in their order. */
  readonly lines: readonly StatsdValues[];
  /** Lines that have none, by what they are. */
  readonly leftOut: StatsdHealth['leftOut'];
  /** An error for each line that is not well formed, in their order: nothing of such a line is in `lines`. */
  readonly malformed: readonly HdrscopeError[];
}

/**
 * Reads one packet of StatsD. `createStatsdReader` reads many, and remembers the metrics.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the packet is no bytes.
 * @example
 * ```ts
 * import { readStatsd } from '@hdrscope/inputs/statsd';
 *
 * const { lines, malformed } = readStatsd(new TextEncoder().encode('pay:12|h|@0.1|#route:a\npay:12|ms|@7'));
 * lines;
 * //=> [{ name: 'pay', type: 'h', tags: { route: 'a' }, sampleRate: 0.1, containerId: undefined, values: [12] }]
 * malformed[0]!.message; //=> 'the sample rate must be a number from 1e-9 to 1, got "7"'
 * ```
 */
export function readStatsd(packet: Uint8Array): StatsdPacket {
  assertFollows('the packet', byteArray, packet);
  const lines: StatsdValues[] = [];
  const malformed: HdrscopeError[] = [];
  const reader = createStatsdReader<StatsdMetric>({
    find: (metric) => metric,
    record: (metric, values, count) => lines.push({ ...metric, values: [...values.subarray(0, count)] }),
    refuse: (error) => malformed.push(error),
  });
  reader.read(packet);
  return { lines, leftOut: reader.health.leftOut, malformed };
}
