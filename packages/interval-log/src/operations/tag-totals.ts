import type { HistogramSum } from '@hdrscope/core';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import type { OperationSettings } from '../reader/read.ts';
import {
  addInterval,
  byTag,
  decodeOrReport,
  type LogHistogram,
  LogTotal,
  ownTag,
  TagLimits,
} from './totals.ts';

/** The sum of all intervals of a tag. */
export interface TagSummary {
  /** `undefined` for intervals without a tag. */
  readonly tag: string | undefined;
  /** Number of intervals. */
  readonly intervals: number;
  /** Start of the earliest interval, on the scale of `LogInterval.startSec`. */
  readonly startSec: number;
  /** End of the latest interval, on the same scale. */
  readonly endSec: number;
  /** The values of all these intervals, with bounds that contain the truth where the intervals have unlike layouts. */
  readonly sum: HistogramSum;
  /** The same values in one histogram, in the finest layout whose slots contain those of all intervals. Made when it is first read. */
  readonly histogram: LogHistogram;
}

/** A summary of one log or several. */
export interface LogSummary {
  /** Start of the earliest log; `undefined` if no interval was selected. */
  readonly startSec: number | undefined;
  /** Intervals without a tag first, then by name. */
  readonly tags: readonly TagSummary[];
}

type TagTimes = Pick<TagSummary, 'tag' | 'intervals' | 'startSec' | 'endSec'>;
type TagTotal = TagTimes & { readonly total: LogTotal };

/** The integers of a tag in a part of a log. */
export interface PartTag extends TagTimes {
  /** How many values. */
  readonly count: number;
  /** Their encodings: the first interval with values, whose layout decides that of a sum, and the sum of those after it. */
  readonly encodings: readonly (string | Uint8Array)[];
}

/** The totals of a part of a log. */
export interface PartTotals {
  /** As that of `LogSummary`. */
  readonly startSec: number | undefined;
  readonly tags: readonly PartTag[];
  /** How much memory the totals take. */
  readonly byteLength: number;
}

/** The totals of all tags of one log or several. */
export class TagTotals {
  readonly #limits: TagLimits;
  readonly #tags = new Map<string | undefined, TagTotal>();
  #startSec: number | undefined;

  constructor(maxTags: number) {
    this.#limits = new TagLimits(maxTags);
  }

  /**
   * Adds an interval, or reports that it is malformed.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when there are too many tags, or they take too much memory.
   */
  add(interval: LogInterval, source: LogSource, settings: OperationSettings): void {
    const { startSec, endSec, offsetSec } = interval;
    const known = this.#tags.get(interval.tag);
    const bytesBefore = known?.total.byteLength ?? 0;
    const tag = known === undefined ? ownTag(interval.tag) : known.tag;
    const total = decodeOrReport(interval, source, settings, () =>
      addInterval(known?.total, interval, this.#limits.storage),
    );
    if (total === undefined) return;
    if (known === undefined) this.#limits.addTag();
    this.#limits.addBytes(total.byteLength - bytesBefore);
    this.#noteTimes(known, { tag, intervals: 1, startSec, endSec }, total);
    this.#noteStart(startSec - offsetSec);
  }

  /** Whether the totals of a part are surely those that its intervals would make here, one by one. */
  takes({ tags, byteLength }: PartTotals): boolean {
    const newTags = tags.filter(({ tag }) => !this.#tags.has(tag)).length;
    return (
      this.#limits.hasRoomFor(newTags, byteLength) &&
      tags.every(({ tag, count }) => this.#tags.get(tag)?.total.takes(count) ?? true)
    );
  }

  /** Adds the totals of a part, which `takes` has accepted. */
  addPart({ startSec, tags }: PartTotals): void {
    for (const { encodings, count: _, ...times } of tags) {
      const known = this.#tags.get(times.tag);
      const total = known?.total ?? new LogTotal({ tag: times.tag, isDouble: false }, this.#limits.storage);
      const bytesBefore = known === undefined ? 0 : total.byteLength;
      total.addEncoded(encodings, times);
      if (known === undefined) this.#limits.addTag();
      this.#limits.addBytes(total.byteLength - bytesBefore);
      this.#noteTimes(known, times, total);
    }
    if (startSec !== undefined) this.#noteStart(startSec);
  }

  toSummary(): LogSummary {
    return { startSec: this.#startSec, tags: [...this.#tags.values()].map(summarizeTag).sort(byTag) };
  }

  #noteTimes(known: TagTotal | undefined, added: TagTimes, total: LogTotal): void {
    this.#tags.set(added.tag, {
      tag: added.tag,
      intervals: (known?.intervals ?? 0) + added.intervals,
      startSec: Math.min(known?.startSec ?? added.startSec, added.startSec),
      endSec: Math.max(known?.endSec ?? added.endSec, added.endSec),
      total,
    });
  }

  #noteStart(startSec: number): void {
    this.#startSec = Math.min(this.#startSec ?? Number.POSITIVE_INFINITY, startSec);
  }
}

function summarizeTag({ total, ...tag }: TagTotal): TagSummary {
  let histogram: LogHistogram | undefined;
  return {
    ...tag,
    sum: total.sum,
    get histogram() {
      histogram ??= total.toHistogram();
      return histogram;
    },
  };
}
