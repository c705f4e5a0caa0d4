import type { Counts } from '../counts/counts.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { bytesOf, toBase64 } from '../encoding/base64.ts';
import { decodeDoubles, encodeCompressedDoubles, encodeDoubles } from '../encoding/double.ts';
import { HdrscopeError } from '../errors.ts';
import type { DoubleRange, DoubleStorage } from './double-range.ts';
import {
  assertDoubleInterval,
  type CountedValue,
  DoubleRecording,
  DoubleSetup,
  emptyDoubleStore,
} from './double-recording.ts';
import { least, most } from './time-span.ts';

/**
 * An HDR histogram of floating-point values: none has to be scaled to an integer, and no range to be known. The range
 * moves to where the values are.
 *
 * @example
 * ```ts
 * import { DoubleHistogram } from '@hdrscope/core';
 *
 * const seconds = new DoubleHistogram({ significantDigits: 2 });
 * for (const latency of [0.000_25, 0.5, 0.75, 12]) seconds.record(latency);
 *
 * seconds.totalCount; //=> 4
 * seconds.countAt(0.5); //=> 1
 * seconds.min <= 0.000_25 && seconds.max >= 12; //=> true
 * ```
 */
export class DoubleHistogram extends DoubleRecording {
  /**
   * Counts everything that `other` has counted, each count at the lowest value of its slot; nothing is lost with equal
   * significant digits. Start and end time are widened.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value of `other` does not fit, `ERR_COUNT_OVERFLOW`.
   */
  add(other: DoubleHistogram): void {
    const [own, theirs] = [this.range, other.range];
    const { counts } = other.integers;
    if (own.halfBits === theirs.halfBits && own.octave === theirs.octave && counts.last < this.store.length) {
      this.store.assertRoomFor(counts.total);
      this.store.addAll(other.store);
    } else this.recordAll(other.#values('lower'));
    this.startTimeMs = least(this.startTimeMs, other.startTimeMs);
    this.endTimeMs = most(this.endTimeMs, other.endTimeMs);
  }

  /**
   * Counts what an encoding of doubles holds, as `add(DoubleHistogram.decode(encoded))` does.
   *
   * @param encoded Any that `decode` reads.
   * @throws HdrscopeError `ERR_DECODE` as `decode` does, otherwise as `add` does.
   * @example
   * ```ts
   * import { DoubleHistogram } from '@hdrscope/core';
   *
   * const interval = new DoubleHistogram();
   * interval.record(0.25, 2);
   * const all = new DoubleHistogram();
   * for (let n = 0; n < 3; n++) all.addEncoded(interval.toBase64());
   * all.countAt(0.25); //=> 6
   * ```
   */
  addEncoded(encoded: Uint8Array | string): void {
    this.add(DoubleHistogram.decode(encoded, { storage: 'sparse' }));
  }

  /**
   * Counts everything that `other` has counted, each value with those that were not seen while it was waited for, as
   * `recordCorrected` does; values are taken at the upper end of their slots, as `max` tells it.
   *
   * @throws HdrscopeError as `add` does.
   */
  addCorrected(other: DoubleHistogram, expectedInterval: number): void {
    assertDoubleInterval(expectedInterval);
    this.recordAll(other.#values('upper'), expectedInterval);
  }

  /**
   * Takes out everything that `other` has counted: undoes `add(other)`.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a slot holds fewer values than are to be taken out of it.
   */
  subtract(other: DoubleHistogram): void {
    const taken = new Map<number, number>();
    for (const [value, count] of other.#values('lower')) {
      const slot = this.layout.slotOf(value);
      const sum = (taken.get(slot) ?? 0) + count;
      const available = slot < this.store.length ? this.store.at(slot) : 0;
      if (sum > available) {
        throw new HdrscopeError(
          'ERR_INCOMPATIBLE',
          `subtract: the counts must be contained in this histogram, got ${sum} and have ${available} values ` +
            `from ${this.layout.lower(slot)} to below ${this.layout.upper(slot)}`,
        );
      }
      taken.set(slot, sum);
    }
    for (const [slot, count] of taken) this.store.remove(slot, count);
    this.store.settleBounds();
  }

  /** An independent histogram with the same counts, range, policy, times and tag. */
  copy({ storage = this.storage }: { readonly storage?: DoubleStorage } = {}): DoubleHistogram {
    const isAlike = storage === this.storage;
    const copy = this.#like(this.range.copy(), storage, isAlike ? this.store.clone() : undefined);
    if (!isAlike) copy.store.addAll(this.store);
    return copy;
  }

  /** A copy in which coordinated omission is corrected: see `recordCorrected`. */
  copyCorrected(
    expectedInterval: number,
    { storage = this.storage }: { readonly storage?: DoubleStorage } = {},
  ): DoubleHistogram {
    const copy = this.#like(this.range.emptied(), storage);
    copy.addCorrected(this, expectedInterval);
    return copy;
  }

  /** Whether both count the same values the same number of times, told apart alike. Range, storage, times and tag may differ. */
  equals(other: DoubleHistogram): boolean {
    if (this.significantDigits !== other.significantDigits || this.totalCount !== other.totalCount) {
      return false;
    }
    const theirs = other.#values('lower');
    return this.#values('lower').every(
      ([value, count], i) => theirs[i]?.[0] === value && theirs[i][1] === count,
    );
  }

  /** Forgets all values, the outliers, the times and the tag. The range is where it began, as wide as it has become. */
  reset(): void {
    this.clear();
  }

  /** HdrHistogram's encoding of doubles. */
  encode(): Uint8Array<ArrayBuffer> {
    return encodeDoubles(this.integers, this.range);
  }

  /** HdrHistogram's encoding of doubles, deflated: what interval logs hold. */
  encodeCompressed(): Uint8Array<ArrayBuffer> {
    return encodeCompressedDoubles(this.integers, this.range);
  }

  /** The compressed encoding as base64 text; it begins with `DHIST`. */
  toBase64(): string {
    return toBase64(this.encodeCompressed());
  }

  /**
   * Reads an encoding of doubles, compressed or not, as bytes or as base64 text. The result resizes itself.
   *
   * @throws HdrscopeError `ERR_DECODE` when the bytes are no such encoding.
   */
  static decode(
    encoded: Uint8Array | string,
    { storage = 'dense' }: { readonly storage?: DoubleStorage } = {},
  ): DoubleHistogram {
    const { range, integers } = decodeDoubles(bytesOf(encoded));
    const { layout, runs } = integers;
    const isDense = storage === 'dense';
    const store = isDense ? runs.toDense(layout.slotCount) : emptyDoubleStore(storage, range);
    if (!isDense) store.addRuns(runs);
    return new DoubleHistogram(new DoubleSetup(range, store));
  }

  /** A histogram with the policy, times and tag of this one, and with these counts or none. */
  #like(range: DoubleRange, storage: DoubleStorage, counts?: Counts): DoubleHistogram {
    const store = counts ?? emptyDoubleStore(storage, range);
    const histogram = new DoubleHistogram(new DoubleSetup(range, store, this.outOfRange));
    [histogram.startTimeMs, histogram.endTimeMs] = [this.startTimeMs, this.endTimeMs];
    histogram.tag = this.tag;
    return histogram;
  }

  /** What was counted, ascending, each at an end of its slot. */
  #values(end: 'lower' | 'upper'): CountedValue[] {
    const { layout } = this.integers;
    const { ratio } = this.range;
    return [...usedSlots(this.store)].map(([slot, count]) => [layout[end](slot) * ratio, count]);
  }
}
