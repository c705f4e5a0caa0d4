import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import type { SlotRuns } from '../counts/slot-runs.ts';
import { payloadOf } from './v2.ts';
import { VarintRuns } from './varint-runs.ts';

/**
 * Counts in few bytes, for whoever keeps many of them: the payload of the V2 encoding, without a header. Forty used slots take some
 * 80 bytes.
 *
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { packCounts, packedRuns, SparseCounts } from '@hdrscope/core/internal';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * histogram.record(42, 7);
 * const bytes = packCounts(histogram.counts);
 * bytes.length; //=> 2
 * const sum = new SparseCounts(histogram.counts.length);
 * sum.addRuns(packedRuns(bytes, sum.length));
 * sum.addRuns(packedRuns(bytes, sum.length));
 * sum.at(42); //=> 14
 * ```
 */
export function packCounts(counts: ReadonlyCounts): Uint8Array<ArrayBuffer> {
  return payloadOf(counts, 0);
}

/**
 * The used slots of packed counts.
 *
 * @param slotCount How many slots the counts have.
 * @throws HdrscopeError `ERR_DECODE` when the bytes are not the packed counts of so many slots.
 */
export function packedRuns(bytes: Uint8Array, slotCount: number): SlotRuns {
  return new VarintRuns(bytes, slotCount);
}
