import { resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import { countedOfRow, historySpan, type MergedRow, queryMergedRows, slotOfTick } from '@hdrscope/history';
import { Slices } from '@hdrscope/kit';
import { attributePairs, createHeatMap, type HeatMapBuilder, type HeatMapPlot } from '@hdrscope/plot';
import { Refusal } from '../../command.ts';
import { scaled } from '../../value-scale.ts';
import { stretchFor } from '../history/options.ts';
import { plotTitle, shownUnitOf } from './answer.ts';
import { withEngine } from './engine.ts';
import { type Options, selectionOf } from './options.ts';

// As many columns as a heat map has.
const MOST_STRETCHES = 240;

// The maps of more groups would be too small to read.
const MOST_MAPS = 20;

/**
 * Heat maps of a metric over time, one for each group and unit. The engine merges the slots of each stretch of time: those of `--every`,
 * else as many as a heat map has columns. Memory does not grow with the length of the history. The values of a wide bucket are spread over
 * it, and a line below the title says so.
 *
 * @throws Refusal when there are too many groups.
 */
export async function heatMapsOf(folder: string, options: Options): Promise<HeatMapPlot[]> {
  const { by } = options;
  const question = selectionOf(options);
  const everyMs = options.every ?? (await chosenStretch(folder, options));
  if (everyMs === undefined) return [];
  const maps = new Map<string, { readonly map: HeatMapBuilder; isWide: boolean; isOpen: boolean }>();
  const slices = new Slices();
  await withEngine(folder, async () => {
    for await (const row of queryMergedRows(folder, { ...question, by, everyMs })) {
      if (slices.isOver()) await slices.next();
      const key = JSON.stringify([row.unit, row.attributes]);
      const known = maps.get(key) ?? { map: heatMapFor(row), isWide: false, isOpen: false };
      maps.set(key, known);
      if (maps.size > MOST_MAPS) {
        throw new Refusal(
          `at most ${MOST_MAPS} heat maps are drawn, and there are more groups: --where chooses series`,
        );
      }
      const { slots, isOpen } = spreadSlots(row);
      known.isWide ||= row.w.length > 0;
      known.isOpen ||= isOpen;
      addTo(known.map, { ...row, ...slots });
    }
  });
  return [...maps.values()].map(({ map, isWide, isOpen }) => {
    const plot = map.plot();
    return isWide ? { ...plot, subtitle: isOpen ? `${SPREAD}; ${OPEN}` : SPREAD } : plot;
  });
}

const SPREAD = 'values of wide buckets are spread over them';
const OPEN = 'those of buckets without an end are at their start';

/** The values of a bucket are in at most so many slots: more than a picture has rows. */
const MOST_PLACES = 4096;

/** The slots of a row, with the values of wide buckets spread over their slots. */
export function spreadSlots({ bits, k, c, w }: Pick<MergedRow, 'bits' | 'k' | 'c' | 'w'>): {
  readonly slots: Pick<MergedRow, 'k' | 'c' | 'w'>;
  readonly isOpen: boolean;
} {
  if (w.length === 0) return { slots: { k, c, w }, isOpen: false };
  const end = slotOfTick(Number.MAX_SAFE_INTEGER, bits);
  const spread = { k: [] as number[], c: [] as number[], w: [] };
  let isOpen = false;
  for (const [i, count] of c.entries()) {
    const isEndless = w[i]! > 0 && k[i]! + w[i]! === end;
    isOpen ||= isEndless;
    const slots = isEndless ? 1 : w[i]! + 1;
    const places = Math.min(slots, count, MOST_PLACES);
    const upTo = (place: number): number => Math.floor((place * count) / places);
    for (let place = 0; place < places; place++) {
      spread.k.push(k[i]! + Math.floor(((place + 0.5) * slots) / places));
      spread.c.push(upTo(place + 1) - upTo(place));
    }
  }
  return { slots: spread, isOpen };
}

async function chosenStretch(folder: string, options: Options): Promise<number | undefined> {
  const span = await withEngine(folder, () => historySpan(folder, selectionOf(options)));
  return span && stretchFor(span, MOST_STRETCHES);
}

function heatMapFor({ metric, unit, attributes }: MergedRow): HeatMapBuilder {
  const shown = shownUnitOf(unit);
  const name = [metric, ...attributePairs(attributes)].join(', ');
  return createHeatMap({ unit: shown.unit, title: plotTitle(name, shown) });
}

function addTo(map: HeatMapBuilder, row: MergedRow): void {
  const counted = countedOfRow(row);
  const { scale } = shownUnitOf(row.unit);
  const unitLayout = scaledLayout(counted.layout, resolutionOf(scaled(row.scale, scale)));
  map.add({ startMs: row.startMs, endMs: row.endMs, histogram: counted, unitLayout });
}
