import { DeliveryTimes } from '@hdrscope/kit/delivery';
import type { Snapshot } from '@hdrscope/registry';
import { newCounters, type SenderCounters } from './counters.ts';
import type { Delivery } from './delivery.ts';
import type { NumberBase } from './numbers.ts';
import type { DeliveryQueue } from './queue.ts';

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
  /** The queue on disk. Its files have what is held. @internal */
  queue: DeliveryQueue | undefined;
  /** The work of senders that share this memory, one after the other. @internal */
  work: Promise<unknown> = Promise.resolve();
  /** @internal */
  readonly counters: SenderCounters = newCounters();
}
