import { resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import { countedOfRow, historySpan, type MergedRow, queryMergedRows, slotBounds } from '@hdrscope/history';
import { stretchFor } from '@hdrscope/history/internal';
import { scaled } from '@hdrscope/inputs/internal';
import { Slices } from '@hdrscope/kit';
import { attributePairs, createHeatMap, type HeatMapBuilder, type HeatMapPlot } from '@hdrscope/plot';
import { boundsOfSlots } from '@hdrscope/registry/internal';
import { Refusal } from '../../command.ts';
import { plotTitle, shownUnitOf } from './answer.ts';
import { type AskedHistory, withEngine } from './engine.ts';
import { type Options, selectionOf } from './options.ts';

// As many columns as a heat map has.
const MOST_STRETCHES = 240;

// The maps of more groups would be too small to read.
const MOST_MAPS = 20;

/**
 * Heat maps of a metric over time, one for each group and unit. The engine merges the slots of each stretch of time: those of `--every`,
 * else as many as a heat map has columns. Memory does not grow with the length of the history.
 *
 * @throws Refusal when there are too many groups.
 */
export async function heatMapsOf(history: AskedHistory, options: Options): Promise<HeatMapPlot[]> {
  const { by } = options;
  const question = selectionOf(options);
  const everyMs = options.every ?? (await chosenStretch(history, options));
  if (everyMs === undefined) return [];
  const maps = new Map<string, HeatMapBuilder>();
  const slices = new Slices();
  await withEngine(history.folder, async () => {
    for await (const row of queryMergedRows(history.folder, { ...question, by, everyMs }, history.query)) {
      if (slices.isOver()) await slices.next();
      const key = JSON.stringify([row.unit, row.attributes]);
      const map = maps.get(key) ?? heatMapFor(row);
      maps.set(key, map);
      if (maps.size > MOST_MAPS) {
        throw new Refusal(
          `at most ${MOST_MAPS} heat maps are drawn, and there are more groups: --where chooses series`,
        );
      }
      addTo(map, row);
    }
  });
  return [...maps.values()].map((map) => map.plot());
}

async function chosenStretch(history: AskedHistory, options: Options): Promise<number | undefined> {
  const span = await withEngine(history.folder, () =>
    historySpan(history.folder, selectionOf(options), history.query),
  );
  return span && stretchFor(span, MOST_STRETCHES);
}

function heatMapFor({ metric, unit, attributes }: MergedRow): HeatMapBuilder {
  const shown = shownUnitOf(unit);
  const name = [metric, ...attributePairs(attributes)].join(', ');
  return createHeatMap({ unit: shown.unit, title: plotTitle(name, shown) });
}

function addTo(map: HeatMapBuilder, { startMs, endMs, unit, scale, bits, k, c, w }: MergedRow): void {
  const resolution = resolutionOf(scaled(scale, shownUnitOf(unit).scale));
  const isNarrow = (_: unknown, i: number): boolean => (w[i] ?? 0) === 0;
  const histogram = countedOfRow({ bits, k: k.filter(isNarrow), c: c.filter(isNarrow) });
  const { layout } = histogram;
  const unitLayout = scaledLayout(layout, resolution);
  const wide = k.flatMap((slot, i) => {
    if (isNarrow(slot, i)) return [];
    const first = layout.slotOf(slotBounds(slot, bits).lower);
    const last = layout.slotOf(slotBounds(slot + w[i]!, bits).upper);
    return [{ ...boundsOfSlots(unitLayout, first, last), count: c[i]! }];
  });
  map.add({ startMs, endMs, histogram, unitLayout, wide });
}
