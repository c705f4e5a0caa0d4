import { type Counted, explicitLayout } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { findNominalBounds, type SketchTarget } from './sketch.ts';

// As many as OpenTelemetry's exponential histograms have buckets. Each is a line of text.
const MOST_BOUNDARIES = 160;

/**
 * A text of one classic histogram for Prometheus. Its boundaries are the bounds of the slots that have values; when there are more than 160
 * bounds, only every second, fourth or eighth of them, and so on.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#histograms-and-summaries
 *
 * @param name The name of the metric: letters, digits, `_` and `:`.
 */
export function targetBoundaries(counted: Counted, name: string): SketchTarget {
  const bounds = listBounds(counted);
  let stride = 1;
  while (bounds.length / stride > MOST_BOUNDARIES) stride *= 2;
  // The last bound closes the values.
  const edges = bounds.filter((_, at) => at % stride === 0 || at === bounds.length - 1);
  return {
    layout: explicitLayout(edges),
    openSlots: 'both',
    write(counts, { sum }) {
      const lines = [`# TYPE ${name} histogram`];
      let below = 0;
      for (const [slot, edge] of edges.entries()) {
        below += counts.at(slot);
        lines.push(`${name}_bucket{le="${edge}"} ${below}`);
      }
      lines.push(`${name}_bucket{le="+Inf"} ${counts.total}`);
      if (sum !== undefined) lines.push(`${name}_sum ${sum}`);
      return `${[...lines, `${name}_count ${counts.total}`].join('\n')}\n`;
    },
  };
}

/** The finite bounds of slots with values, ascending. Where both bounds belong to a slot, the one below is that of the slot before. */
function listBounds({ layout, counts }: Counted): number[] {
  const isOfIntegers = layout.lowerInclusive && layout.upperInclusive;
  const bounds = new Set<number>();
  for (const [slot] of usedSlots(counts)) {
    const { lower, upper } = findNominalBounds(layout, slot);
    bounds.add(upper);
    if (!isOfIntegers) bounds.add(lower);
    // Nothing is below the first slot: its bucket has no other bound.
    else if (slot > 0) bounds.add(layout.upper(slot - 1));
  }
  return [...bounds].filter(Number.isFinite).sort((a, b) => a - b);
}
