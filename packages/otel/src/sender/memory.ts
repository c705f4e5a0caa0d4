import { DeliveryTimes } from '@hdrscope/kit/delivery';
import type { Snapshot } from '@hdrscope/registry';
import type { PartialSuccess } from './answer.ts';
import type { Item } from './encoding.ts';
import type { NumberBase } from './numbers.ts';

/**
 * All points of a snapshot that the receiver is to have. They go out in one request or in several. A point keeps its start, its
 * end and its counts, so that receivers recognise it when it comes again.
 */
export interface Delivery {
  readonly items: Item[];
  /** How many of the points, from the first one on, the receiver has. Those that were given up count too. */
  done: number;
  /** How many of the points, from the first one on, the receiver may have. */
  tried: number;
  /** How many points the receiver has taken, or were given up. Those that are dropped from `items` count too. */
  settled: number;
  /** The most bytes of a request, before it is compressed. */
  mostBytes: number;
  /** The snapshot whose counts the receiver has after all points. */
  readonly snapshot: Snapshot;
  readonly numbers: NumberBase;
}

/**
 * A sender remembers here which values the receiver has, and which must still be delivered. A sender that replaces another one takes
 * its `memory` as an option: then each value is sent once.
 */
export class OtlpSenderMemory {
  /** The snapshot whose counts the receiver has. @internal */
  base: Snapshot | undefined;
  /** @internal */
  numbers: NumberBase | undefined;
  /** @internal */
  readonly times: DeliveryTimes = new DeliveryTimes();
  /** A delivery that was sent and is not taken as a whole: the rest goes out, as it is, before anything else. @internal */
  held: Delivery | undefined;
  /** Since when nothing was taken, by a clock that never goes back; `undefined` when the last request was taken. @internal */
  failingSinceMs: number | undefined;
  /** The work of senders that share this memory, one after the other. @internal */
  work: Promise<unknown> = Promise.resolve();
  /** @internal */
  readonly counters: {
    requests: number;
    failedRequests: number;
    pendingValues: number;
    rejectedPoints: number;
    givenUpValues: number;
    uncertainValues: number;
    tooLargePoints: number;
    lastPartialSuccess: PartialSuccess | undefined;
  } = {
    requests: 0,
    failedRequests: 0,
    pendingValues: 0,
    rejectedPoints: 0,
    givenUpValues: 0,
    uncertainValues: 0,
    tooLargePoints: 0,
    lastPartialSuccess: undefined,
  };
}
