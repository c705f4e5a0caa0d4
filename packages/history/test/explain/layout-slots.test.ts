import { hdrLayout } from '@hdrscope/core';
import { resolutionOf } from '@hdrscope/core/internal';
import { explainChange, layoutSlots, type SlotCounts } from '@hdrscope/explain/internal';
import { BITS, INCIDENT_KINDS, SCALE } from '@hdrscope/testing/incidents';
import { explainSeries } from '../../src/explain/explain-series.ts';
import { slotBounds } from '../../src/index.ts';

/** Its slots are those of rows with as many bits. */
const LAYOUT = hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits: 1 });
const SLOTS = layoutSlots(LAYOUT, resolutionOf(SCALE));

const inLayout = ({ k, c }: SlotCounts): SlotCounts => ({
  k: k.map((slot) => LAYOUT.slotOf(slotBounds(slot, BITS).lower)),
  c,
});

// Other tests ask about each kind.
const KINDS = INCIDENT_KINDS.filter((_, i) => i % 3 === 0);

test.each(KINDS)('$name: slots of a layout give the explanation of rows', ({ percentile, generate }) => {
  const { series } = generate(1);
  const placed = series.map((one) => ({
    ...one,
    before: inLayout(one.before),
    after: inLayout(one.after),
  }));
  expect(explainChange(placed, { percentile, slots: SLOTS })).toEqual(
    explainSeries(series, { percentile, bits: BITS, scale: SCALE }),
  );
});
