import { mustBe } from '@hdrscope/core/internal';
import { kernelError } from '../errors.ts';
import type { Frame, KernelHistogram } from './source.ts';

/**
 * The histograms of a frame by their name and what distinguishes histograms of one name.
 *
 * @throws HdrscopeError `ERR_KERNEL` when parts of the frame do not fit each other, or it has a histogram twice.
 */
export function byIdentity({ cpuCount, histograms }: Frame): Map<string, KernelHistogram> {
  const known = new Map<string, KernelHistogram>();
  for (const histogram of histograms) {
    const { name, layout, counts, sums } = histogram;
    const expected = cpuCount * layout.slots.slotCount;
    if (counts.length !== expected) {
      throw mustBe('ERR_KERNEL', `the counts of ${name}`, `${expected}, ${cpuCount} CPUs`, counts.length);
    }
    if (sums !== undefined && sums.length !== cpuCount) {
      throw mustBe('ERR_KERNEL', `the sums of ${name}`, `${cpuCount}, one for each CPU`, sums.length);
    }
    const identity = JSON.stringify([name, histogram.identity ?? sorted(histogram.attributes)]);
    if (known.has(identity)) {
      throw kernelError(`${name} must have each set of attributes once, got ${identity} twice`, { name });
    }
    known.set(identity, histogram);
  }
  return known;
}

function sorted(attributes: KernelHistogram['attributes']): readonly unknown[] {
  return Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
}
