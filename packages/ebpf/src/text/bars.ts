import { mustBe } from '@hdrscope/core';
import { countsOfSlots, type KernelCounts } from '../quantile.ts';
import { type ShownSlots, shownSlots, slotLabel } from './slot-label.ts';

/** How bars are drawn. */
export interface KernelBarsOptions extends ShownSlots {
  /** How many characters the longest bar has: an integer from 1 to 1000. @default 40 */
  readonly width?: number;
  /** Whether bars are made of ASCII, not of blocks that end at an eighth of a character. @default false */
  readonly ascii?: boolean;
  /** What stands before the bar of a slot, by its bounds. @default its integers: `2-4`, `65+` */
  readonly label?: (bounds: { readonly lower: number; readonly upper: number }) => string;
}

const MOST_WIDTH = 1000;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * A histogram as bars of text, a line for each slot from the first to the last that was hit. Every slot that was hit has a
 * bar, however short.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`, `ERR_INVALID_COUNT`
 * @example
 * ```ts
 * import { formatKernelBars, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [0, 980, 1400, 0, 400, 0, 0, 0] };
 * formatKernelBars(depths, { width: 14, ascii: true }).split('\n');
 * //=> ['1     980 |##########    |', '2-4  1400 |##############|', '5-8     0 |              |', '9-16  400 |####          |']
 * ```
 */
export function formatKernelBars(
  counted: KernelCounts,
  { width = 40, ascii = false, rows = 'used', label }: KernelBarsOptions = {},
): string {
  if (!Number.isInteger(width) || width < 1 || width > MOST_WIDTH) {
    throw mustBe('ERR_INVALID_OPTION', 'width', `an integer from 1 to ${MOST_WIDTH}`, width);
  }
  const counts = countsOfSlots(counted);
  const shown = shownSlots(counts, rows);
  if (shown === undefined) return '';
  const { slots } = counted.layout;
  const labelOf = (slot: number): string =>
    label?.({ lower: slots.lower(slot), upper: slots.upper(slot) }) ?? slotLabel(slots, slot);
  const lines = counts.map((count, slot) => ({ label: labelOf(slot), count })).slice(shown[0], shown[1] + 1);
  const most = Math.max(...lines.map(({ count }) => count));
  const labelWidth = Math.max(...lines.map(({ label }) => label.length));
  const countWidth = Math.max(...lines.map(({ count }) => String(count).length));
  return lines
    .map(({ label, count }) => {
      const length = most === 0 ? 0 : (count / most) * width;
      const bar = (ascii ? asciiBar(length) : blockBar(length)).padEnd(width);
      return `${label.padEnd(labelWidth)} ${String(count).padStart(countWidth)} |${bar}|`;
    })
    .join('\n');
}

function asciiBar(length: number): string {
  return '#'.repeat(length === 0 ? 0 : Math.max(1, Math.round(length)));
}

function blockBar(length: number): string {
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}
