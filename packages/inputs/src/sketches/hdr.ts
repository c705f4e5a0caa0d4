import { type Counted, Histogram, hdrLayout, type Layout, type ReadonlyCounts } from '@hdrscope/core';
import { isHdrLayout, isScaledLayout, resolutionOf, scaledLayout, usedSlots } from '@hdrscope/core/internal';
import { FORMAT_VERSION_LINE, formatComment, formatInterval, LEGEND_LINE } from '@hdrscope/interval-log';
import { measureRange } from './conversion.ts';
import type { SketchTarget } from './sketch.ts';

/** How HDR slots are made for the values of a sketch. */
export interface HdrTargetOptions {
  /** Significant digits that are kept: 0 to 5. @default those of HDR counts, else 3 */
  readonly digits?: number | undefined;
  /** The step between two values that are kept apart: above 0. @default that of HDR counts, else a power of ten that keeps the digits */
  readonly resolution?: number | undefined;
}

/** HDR slots for the values of a sketch. */
export interface HdrPlan {
  readonly layout: Layout;
  readonly digits: number;
  readonly resolution: number;
  /** The counts as a histogram of steps. */
  collect(counts: ReadonlyCounts): Histogram;
}

const HIGHEST = Number.MAX_SAFE_INTEGER;
const DEFAULT_DIGITS = 3;

/**
 * Prepares HDR slots for the values of a sketch.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside its range.
 */
export function planHdr(counted: Counted, options: HdrTargetOptions = {}): HdrPlan {
  const { layout } = counted;
  const [inTicks, own] = isScaledLayout(layout)
    ? [layout.inTicks, layout.resolution.unitsPerTick / layout.resolution.ticksPerUnit]
    : [layout, 1];
  const hdr = isHdrLayout(inTicks) ? inTicks : undefined;
  const digits = options.digits ?? hdr?.significantDigits ?? DEFAULT_DIGITS;
  const resolution = options.resolution ?? (hdr === undefined ? findResolution(counted, digits) : own);
  const isSame = hdr !== undefined && resolution === own;
  const ticks = hdrLayout({
    highestTrackableValue: HIGHEST,
    significantDigits: digits,
    ...(isSame && { lowestDiscernibleValue: hdr.lowestDiscernibleValue }),
  });
  return {
    layout: resolution === 1 ? ticks : scaledLayout(ticks, resolutionOf(resolution)),
    digits,
    resolution,
    collect(counts) {
      const lowest = isSame ? { lowestDiscernibleValue: hdr.lowestDiscernibleValue } : {};
      const histogram = new Histogram({
        significantDigits: digits,
        autoResize: true,
        storage: 'sparse',
        ...lowest,
      });
      for (const [slot, count] of usedSlots(counts)) histogram.record(ticks.lower(slot), count);
      return histogram;
    },
  };
}

/** A power of ten that keeps the digits of the smallest value, or as many as the largest one leaves. */
function findResolution(counted: Counted, digits: number): number {
  const { least, most } = measureRange(counted);
  const wanted = Math.floor(Math.log10(least)) - Math.max(digits, 1);
  const possible = Math.ceil(Math.log10(most / HIGHEST)) + 1;
  return Number(`1e${Math.max(wanted, possible)}`);
}

/** A log of one interval, without a time. */
export function targetLog(plan: HdrPlan, note: string): SketchTarget {
  return {
    layout: plan.layout,
    write: (counts) =>
      `${FORMAT_VERSION_LINE}${formatComment(`[${note}, counted in steps of ${plan.resolution}; its times are not known]`)}${LEGEND_LINE}` +
      formatInterval(plan.collect(counts), { startSec: 0, endSec: 0, valueScale: 1 }),
  };
}

/** A histogram in Base64. It counts steps, whose size the form has no place for. */
export function targetEncoded(plan: HdrPlan): SketchTarget {
  return { layout: plan.layout, write: (counts) => `${plan.collect(counts).toBase64()}\n` };
}

/** Figures with the encoded histogram, its unit and its steps, which `readFigures` reads. */
export function targetFigures(plan: HdrPlan, unit: string): SketchTarget {
  return {
    layout: plan.layout,
    write(counts) {
      const { digits, resolution } = plan;
      const histogram = plan.collect(counts);
      return `${JSON.stringify({ unit, count: histogram.totalCount, significantDigits: digits, resolution, encoded: histogram.toBase64() })}\n`;
    },
  };
}
