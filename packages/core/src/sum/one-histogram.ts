import type { Storage } from '../counts/readonly-counts.ts';
import { mustBe } from '../errors.ts';
import { DoubleHistogram } from '../histogram/double-histogram.ts';
import { DoubleLayout } from '../histogram/double-layout.ts';
import { Histogram } from '../histogram/histogram.ts';
import { isHdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import { containingLayout } from './containing.ts';
import { type IntervalStore, SlotStore } from './intervals.ts';
import type { Part } from './part.ts';

/** See `HistogramSum.toHistogram`. */
export function collectIntegers(all: readonly Layout[], parts: readonly Part[], storage: Storage): Histogram {
  const layouts = assertKind(all, isHdrLayout, 'toHistogram', 'integers');
  const histogram = new Histogram({ ...containingLayout(layouts), autoResize: true, storage });
  for (const { store } of parts) {
    if (store instanceof SlotStore) histogram.add(store);
    else recordIntervals('toHistogram', store, histogram);
  }
  return histogram;
}

/** See `HistogramSum.toDoubleHistogram`. */
export function collectDoubles(
  all: readonly Layout[],
  parts: readonly Part[],
  storage: Storage,
): DoubleHistogram {
  const layouts = assertKind(all, isDoubleLayout, 'toDoubleHistogram', 'doubles');
  const significantDigits = layouts.reduce((fewest, layout) => Math.min(fewest, layout.significantDigits), 5);
  const histogram = new DoubleHistogram({ significantDigits, storage });
  for (const { store } of parts) recordIntervals('toDoubleHistogram', store, histogram);
  return histogram;
}

/** The layouts of all additions, which must be of one kind. */
function assertKind<L extends Layout>(
  layouts: readonly Layout[],
  isWanted: (layout: Layout) => layout is L,
  call: string,
  kind: string,
): readonly L[] {
  return layouts.map((layout) => {
    if (isWanted(layout)) return layout;
    throw mustBe('ERR_INCOMPATIBLE', `${call}: each addition`, `a histogram of ${kind}`, layout);
  });
}

/**
 * Records counts in slots that contain their intervals.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when an interval is wider than a slot: its counts were moved there from wider slots.
 */
function recordIntervals(call: string, store: IntervalStore, histogram: Histogram | DoubleHistogram): void {
  for (const { lower, upper, count } of store.intervals()) {
    histogram.record(lower, count);
    const { layout } = histogram;
    // Only placed counts may lie beyond a slot. A fraction counts as its integer part.
    const largest = layout.kind === 'hdr' ? Math.floor(upper) : upper;
    if (store instanceof SlotStore || largest <= layout.upper(layout.slotOf(lower))) continue;
    const allowed = 'counts that were not moved from wider slots (see placedFrom)';
    throw mustBe('ERR_INCOMPATIBLE', `${call}: each addition`, allowed, `values from ${lower} to ${upper}`);
  }
}

function isDoubleLayout(layout: Layout): layout is DoubleLayout {
  return layout instanceof DoubleLayout;
}
