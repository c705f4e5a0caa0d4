import { formatKernelHistogram } from '@hdrscope/ebpf';
import type { Option } from 'commander';
import { choiceOption } from '../arguments.ts';
import type { ShownHistogram } from './shown-histogram.ts';

const INTERPOLATIONS = ['inclusive', 'exclusive'] as const;

/** How values spread in their slot: see `KernelQuantileOptions`. */
export type Interpolation = (typeof INTERPOLATIONS)[number];

/** `--text`: the form of the tutorial about queue-depth histograms, which shows estimates in place of bounds. */
export function textFormOption(): Option {
  const help =
    'prints counts with shares, and interpolated percentiles: inclusive stays within the slot, exclusive ends at the start of the next one';
  return choiceOption('--text <interpolation>', help, INTERPOLATIONS);
}

const MOST_ROWS = 40;

/** Formats a histogram like that tutorial: `total=4821  p50=2.3  p99=15.9`, and a line for each slot. */
export function formatTextForm(
  histogram: ShownHistogram,
  interpolation: Interpolation,
  percentiles: readonly number[],
): string {
  const rows = histogram.layout.slotCount > MOST_ROWS ? 'used' : 'all';
  return formatKernelHistogram(histogram, { interpolation, percentiles, rows });
}
