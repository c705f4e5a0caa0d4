import { callback, number, type OptionRules, optional, readOptions } from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { INTERVAL_RULES, type OperationOptions, selectIntervals } from '../reader/read.ts';
import type { Selection } from '../reader/selection.ts';
import { toMicros } from '../reader/time.ts';
import { formatHeader, formatLine } from '../writer/format.ts';
import {
  addInterval,
  decodeOrReport,
  type LogTotal,
  ownTag,
  TAG_RULES,
  TagLimits,
  type TagOptions,
} from './totals.ts';

/** Options of `reintervalLog`. */
export interface ReintervalOptions extends Selection, OperationOptions, TagOptions {
  /** Length of the new intervals in seconds: above 0, and best a multiple of the present length. */
  readonly lengthSec: number;
  /**
   * Receives an interval that starts before intervals already written. It goes into another new interval of the same time.
   *
   * @default not called
   */
  readonly onOutOfOrder?: (interval: LogInterval) => void;
}

/**
 * Merges the intervals of each tag into longer ones and yields the lines of the new log. New intervals begin at multiples
 * of their length: in a log with absolute times, those of 60 s at full minutes. An interval that straddles such a moment
 * counts whole where it starts, because the times of its values are unknown. So counts stay exact, and a new interval
 * extends from the start of its first part to the end of its last. A new interval of unlike histograms has the finest layout whose
 * slots contain theirs.
 *
 * Memory holds one histogram per tag, of all tags 1 GiB at most. Comments are left out.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` at the first step; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a malformed line,
 *   unless `onMalformed` takes it; `ERR_TOO_LARGE` when there are more than `maxTags` tags, or their histograms take more
 *   than 1 GiB; `ERR_VALUE_OUT_OF_RANGE` when doubles of a new interval are too far apart for one histogram.
 */
export async function* reintervalLog(
  source: LogSource,
  options: ReintervalOptions,
): AsyncGenerator<string, void> {
  const settings = readOptions(options, REINTERVAL_LOG);
  const { lengthSec } = settings;
  const limits = new TagLimits(settings.maxTags);
  const slices = new Slices();
  const parts = new Map<string | undefined, MergedInterval>();
  let window: number | undefined;
  let baseSec = 0;
  for await (const interval of selectIntervals(source, () => settings)) {
    const itsWindow = Math.floor(toMicros(interval.startSec / lengthSec));
    if (window === undefined) {
      const startSec = toMicros(interval.startSec - interval.offsetSec);
      // A base time is written in milliseconds.
      baseSec = Math.floor(toMicros(interval.startSec - interval.timestampSec) * 1000) / 1000;
      const hasStart = interval.offsetSec !== 0 || baseSec !== 0;
      yield formatHeader(hasStart ? startSec : undefined, baseSec);
    } else if (itsWindow !== window) {
      if (itsWindow < window) settings.onOutOfOrder?.(interval);
      yield* inSlices(formatParts(parts, baseSec), slices);
      limits.clear();
    }
    window = itsWindow;
    const known = parts.get(interval.tag);
    const bytesBefore = known?.total.byteLength ?? 0;
    const longer = decodeOrReport(interval, source, settings, () => addPart(known, interval, limits.storage));
    if (longer === undefined) continue;
    if (known === undefined) limits.addTag();
    limits.addBytes(longer.total.byteLength - bytesBefore);
    parts.set(longer.tag, longer);
  }
  if (window === undefined) yield formatHeader(undefined, 0);
  yield* inSlices(formatParts(parts, baseSec), slices);
}

const REINTERVAL_LOG = {
  name: 'reintervalLog',
  rules: {
    ...INTERVAL_RULES,
    ...TAG_RULES,
    lengthSec: number({ above: 0 }),
    onOutOfOrder: optional(callback<(interval: LogInterval) => void>()),
  } satisfies OptionRules<ReintervalOptions>,
  call: "reintervalLog('service.hlog', { lengthSec: 60 })",
};

interface MergedInterval {
  readonly tag: string | undefined;
  readonly startSec: number;
  readonly endSec: number;
  readonly writtenMax: number;
  readonly total: LogTotal;
}

function addPart(
  longer: MergedInterval | undefined,
  interval: LogInterval,
  storage: 'dense' | 'sparse',
): MergedInterval {
  const { tag, startSec, endSec, writtenMax } = interval;
  const total = addInterval(longer?.total, interval, storage);
  if (longer === undefined) return { tag: ownTag(tag), startSec, endSec, writtenMax, total };
  return {
    tag: longer.tag,
    startSec: Math.min(longer.startSec, startSec),
    endSec: Math.max(longer.endSec, endSec),
    // The writer's unit is unknown, so the maximum cannot be computed from the histogram.
    writtenMax: Math.max(longer.writtenMax, writtenMax),
    total,
  };
}

/** Yields lines, and lets other work of the process run between them: each takes about a millisecond to encode. */
async function* inSlices(lines: Iterable<string>, slices: Slices): AsyncGenerator<string, void> {
  for (const line of lines) {
    yield line;
    if (slices.isOver()) await slices.next();
  }
}

function* formatParts(
  parts: Map<string | undefined, MergedInterval>,
  baseSec: number,
): Generator<string, void> {
  const ordered = [...parts.values()].sort((a, b) => a.startSec - b.startSec);
  parts.clear();
  for (const { tag, startSec, endSec, writtenMax, total } of ordered) {
    const times = { timestampSec: startSec - baseSec, lengthSec: endSec - startSec };
    yield formatLine({ tag, ...times, writtenMax, encoded: total.toHistogram().toBase64({ level: 9 }) });
  }
}
