import { HdrscopeError } from '@hdrscope/core';
import type { LogErrorCode } from '../errors.ts';
import type { LogInterval } from '../reader/entry.ts';
import type { ProcessorSettings } from './options.ts';

/** The intervals that a run has read and not processed. They explain why a run has processed no interval. */
export class SkippedIntervals {
  #hasOtherTags = false;
  #earliestSec = Number.POSITIVE_INFINITY;
  #latestSec = Number.NEGATIVE_INFINITY;

  addOtherTag(): void {
    this.#hasOtherTags = true;
  }

  addOutsideRange({ offsetSec }: LogInterval): void {
    this.#earliestSec = Math.min(this.#earliestSec, offsetSec);
    this.#latestSec = Math.max(this.#latestSec, offsetSec);
  }

  /** Makes the error of a run that has processed no interval. */
  error({ tag, startSec, endSec }: Pick<ProcessorSettings, 'tag' | 'startSec' | 'endSec'>): HdrscopeError {
    const tagged = tag === undefined ? 'without a tag' : `with the tag ${JSON.stringify(tag)}`;
    const until = endSec < Number.MAX_VALUE ? `${endSec} s` : 'its end';
    const message = `there is no interval ${tagged} from ${startSec} s after the start of the log to ${until}`;
    return new HdrscopeError<LogErrorCode>('ERR_LOG_FORMAT', `${message}: ${this.#reason(tagged)}`, {
      details: { tag, startSec, endSec },
    });
  }

  #reason(tagged: string): string {
    if (this.#earliestSec <= this.#latestSec) {
      const [earliest, latest] = [this.#earliestSec, this.#latestSec].map((sec) => Number(sec.toFixed(3)));
      return `intervals ${tagged} start from ${earliest} s to ${latest} s relative to that start, so choose their range with -start and -end`;
    }
    return this.#hasOtherTags ? '-listtags lists the tags' : 'the log has no intervals';
  }
}
