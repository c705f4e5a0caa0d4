import { type Counted, countedIn, type IntegerLayout, rebucket } from '@hdrscope/core';
import {
  callback,
  custom,
  flag,
  formatDecimal,
  integer,
  integerAfter,
  integerLayout,
  listOf,
  type OptionRules,
  oneOf,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { formatBar } from '@hdrscope/kit';
import { type KernelCounts, totalsOf } from './cpu-counts.ts';
import { KERNEL_QUANTILES, type KernelQuantileOptions, kernelQuantiles } from './quantile.ts';

type ShownRows = 'all' | 'used';

const ROWS = oneOf<ShownRows>(['all', 'used']);

/** Which slots are shown. */
export interface ShownSlots {
  /** `'used'` leaves out empty slots below the first count and above the last count, `'all'` shows every slot. */
  readonly rows?: ShownRows;
}

/** How a histogram is formatted. `rows` is `'all'` when it is left out. */
export interface KernelTextOptions extends KernelQuantileOptions, ShownSlots {
  /** Percentiles from 0 to 100. @default [50, 99] */
  readonly percentiles?: readonly number[];
}

/**
 * Formats a histogram for people: the total and percentiles, then one line for each slot with its count and share.
 *
 * A percentile in a slot that is open upwards shows its lower bound: `p99=65+`. With `'exclusive'` interpolation it shows the
 * number of that algorithm.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when a percentile is outside its range, `ERR_INVALID_OPTION` when an option does
 *   not exist, or the interpolation or `rows` is unknown, `ERR_INVALID_COUNT` as `sumCpus` does.
 * @example
 * ```ts
 * import { formatKernelHistogram, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [1200, 980, 1400, 800, 400, 30, 10, 1] };
 * formatKernelHistogram(depths).split('\n').slice(0, 4);
 * //=> ['total=4821  p50=2.3  p99=15.9', '  0:     1200   25%', '  1:      980   20%', '  2-4:   1400   29%']
 * ```
 */
export function formatKernelHistogram(kernel: KernelCounts, options: KernelTextOptions = {}): string {
  const { percentiles, interpolation, rows } = readOptions(options, FORMAT_KERNEL_HISTOGRAM);
  const counted = totalsOf(kernel);
  const quantiles = kernelQuantiles(
    counted,
    percentiles.map((percentile) => percentile / 100),
    { interpolation },
  );
  const summary = percentiles.map((percentile, i) => {
    const { value, open, upper } = quantiles[i]!;
    const isAtLeast = open && upper === Number.POSITIVE_INFINITY && interpolation === 'inclusive';
    const text = isAtLeast ? `${value}+` : Number.isNaN(value) ? '-' : formatDecimal(value, 1);
    return `p${percentile}=${text}`;
  });
  const head = [`total=${counted.counts.total}`, ...summary].join('  ');
  return [head, ...slotLines(counted, rows)].join('\n');
}

const FORMAT_KERNEL_HISTOGRAM = {
  name: 'formatKernelHistogram',
  rules: {
    // `findQuantiles` checks the range.
    percentiles: withDefault(
      listOf(
        custom<number>('a number', (one) => typeof one === 'number'),
        'numbers',
      ),
      [50, 99],
    ),
    ...KERNEL_QUANTILES.rules,
    rows: withDefault(ROWS, 'all'),
  } satisfies OptionRules<KernelTextOptions>,
  call: 'formatKernelHistogram(counts, { percentiles: [50, 99] })',
};

function slotLines(counted: Counted<IntegerLayout>, rows: ShownRows): string[] {
  const { total } = counted.counts;
  return alignedRows(counted, rows, (label) => `${label}:`).map(({ title, count }) => {
    const share = total === 0 ? 0 : Math.round((count / total) * 100);
    return `  ${title}  ${String(share).padStart(3)}%`;
  });
}

/** How bars are drawn. `rows` is `'used'` when it is left out. */
export interface KernelBarsOptions extends ShownSlots {
  /** Length of the longest bar in characters: an integer from 1 to 1000. @default 40 */
  readonly width?: number;
  /**
   * Length of each line in characters, such as the width of a terminal: an integer from 1 to 1000. Bars take the room that
   * labels and counts leave, and at least one character. It replaces `width`. @default as long as `width` makes it
   */
  readonly columns?: number;
  /** Whether bars consist of `#`. Otherwise they consist of blocks, to an eighth of a character. @default false */
  readonly ascii?: boolean;
  /** Makes the label before the bar of a slot from its bounds. @default its integers: `2-4`, `65+` */
  readonly label?: (bounds: { readonly lower: number; readonly upper: number }) => string;
}

/**
 * Formats a histogram for people, as bars: one line for each slot from the first to the last slot with counts. Every slot with counts
 * has a bar, however short. The text is empty when there are no counts.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, `rows` is unknown, or a length is outside its range,
 *   `ERR_INVALID_COUNT` as `sumCpus` does.
 * @example
 * ```ts
 * import { formatKernelBars, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [0, 980, 1400, 0, 400, 0, 0, 0] };
 * formatKernelBars(depths, { width: 14, ascii: true }).split('\n');
 * //=> ['1     980 |##########    |', '2-4  1400 |##############|', '5-8     0 |              |', '9-16  400 |####          |']
 * ```
 */
export function formatKernelBars(kernel: KernelCounts, options: KernelBarsOptions = {}): string {
  const { width, columns, ascii, rows, label } = readOptions(options, FORMAT_KERNEL_BARS);
  const counted = totalsOf(kernel);
  const lines = alignedRows(counted, rows, (integers, bounds) => label?.(bounds) ?? integers);
  const most = lines.reduce((highest, { count }) => Math.max(highest, count), 0);
  const titleWidth = lines[0]?.title.length ?? 0;
  const barWidth = columns === undefined ? width : Math.max(1, columns - titleWidth - ' ||'.length);
  return lines
    .map(({ title, count }) => {
      const length = most === 0 ? 0 : (count / most) * barWidth;
      return `${title} |${formatBar(length, ascii).padEnd(barWidth)}|`;
    })
    .join('\n');
}

/** Merges the slots of each power of two when more slots are used than there are rows. */
export function mergeToOctaves(
  { layout, counts }: Counted<IntegerLayout>,
  rows: number,
): Counted<IntegerLayout> {
  const { bounds } = layout;
  if (counts.last - counts.first < rows) return { layout, counts };
  const kept = bounds.filter((bound) => bound < 0 || Number.isInteger(Math.log2(integerAfter(bound))));
  if (kept.length === 0 || kept.length === bounds.length) return { layout, counts };
  const coarse = integerLayout(kept, layout.lower(0));
  return countedIn(coarse, rebucket(layout, coarse).apply(counts).counts);
}

const CHARACTERS = integer({ from: 1, to: 1000 });

const FORMAT_KERNEL_BARS = {
  name: 'formatKernelBars',
  rules: {
    width: withDefault(CHARACTERS, 40),
    columns: optional(CHARACTERS),
    ascii: withDefault(flag, false),
    label: optional(callback()),
    rows: withDefault(ROWS, 'used'),
  } satisfies OptionRules<KernelBarsOptions>,
  call: 'formatKernelBars(counts, { width: 40 })',
};

/** The integers of a slot: `5`, `2-4`, `65+`, or `<0` when it is open downwards. */
export function slotLabel(slots: IntegerLayout, slot: number): string {
  const [lower, upper] = [slots.lower(slot), slots.upper(slot)];
  if (lower === upper) return String(lower);
  if (upper === Number.POSITIVE_INFINITY) return `${lower}+`;
  if (lower === Number.NEGATIVE_INFINITY) return `<${upper + 1}`;
  return lower < 0 ? `${lower}..${upper}` : `${lower}-${upper}`;
}

interface Row {
  /** Label and count, as wide as those of the other rows. */
  readonly title: string;
  readonly count: number;
}

/** The slots that are shown, ascending. @param labelOf Makes the label of a slot from its integers as text. */
function alignedRows(
  { layout, counts }: Counted<IntegerLayout>,
  rows: ShownRows,
  labelOf: (integers: string, bounds: { readonly lower: number; readonly upper: number }) => string,
): Row[] {
  const [from, to] = rows === 'all' ? [0, counts.length - 1] : [counts.first, counts.last];
  const shown = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => {
    const slot = from + i;
    const label = labelOf(slotLabel(layout, slot), { lower: layout.lower(slot), upper: layout.upper(slot) });
    return { label, count: counts.at(slot) };
  });
  const labelWidth = widest(shown.map(({ label }) => label));
  const countWidth = widest(shown.map(({ count }) => String(count)));
  return shown.map(({ label, count }) => ({
    title: `${label.padEnd(labelWidth)} ${String(count).padStart(countWidth)}`,
    count,
  }));
}

/** The length of the longest text; 0 without texts. It takes any number of texts, which arguments of a function cannot be. */
function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}
