import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FamilySnapshot, SeriesSnapshot, Snapshot } from '@hdrscope/registry';
import { formatComment, formatInterval } from '../writer/format.ts';
import {
  type FamilyTags,
  familyKeyOf,
  familyNote,
  formatFamilyNote,
  jsonLine,
  valueScaleOf,
} from './family-note.ts';
import { formatSeriesTag } from './series-tag.ts';

/** What one interval adds to a log: whole lines, which do not depend on the file that takes them. */
export interface Block {
  /** When the interval starts, in milliseconds since 1970. */
  readonly startMs: number;
  /** When the earliest of its lines starts. */
  readonly earliestMs: number;
  /** What its timestamps count from. */
  readonly baseMs: number;
  /** By family: the comment that stands above its first line in a file. */
  readonly notes: ReadonlyMap<string, string>;
  readonly text: string;
  /** How many of its lines are intervals. */
  readonly lineCount: number;
}

/** When the lines of a block are. */
export interface BlockTimes {
  readonly startMs: number;
  readonly endMs: number;
  readonly baseMs: number;
  /** Whether a series may have begun before: the first block holds what was counted before there was a log. */
  readonly isFirst: boolean;
}

// How many series are encoded before others get their turn: less than a few milliseconds' work.
const SERIES_PER_TURN = 16;

/** Writes down a difference of snapshots, in turns: a registry of thousands of series takes a while. */
export async function blockOf(
  difference: Snapshot,
  { startMs, endMs, baseMs: usualBaseMs, isFirst }: BlockTimes,
  tags: FamilyTags,
  level: number,
): Promise<Block> {
  const startOf = (series: SeriesSnapshot): number =>
    isFirst && series.startTimeMs > 0 ? Math.min(series.startTimeMs, startMs) : startMs;
  const starts = difference.families.flatMap(({ series }) => series.map(startOf));
  const earliestMs = starts.reduce((earliest, one) => Math.min(earliest, one), startMs);
  // Strict readers take no negative timestamps.
  const baseMs = Math.floor(Math.min(usualBaseMs, earliestMs));
  const notes = new Map<string, string>();
  const lines: string[] = [];
  let lineCount = 0;
  let encodedInTurn = 0;
  for (const family of difference.families) {
    if (family.series.length === 0) continue;
    const tagAttributes = tags.tagAttributesOf(family);
    notes.set(familyKeyOf(family), formatFamilyNote(familyNote(family, tagAttributes)));
    const valueScale = valueScaleOf(family.unit, family.resolution);
    for (const series of family.series) {
      const tag = formatSeriesTag(family.name, { ...series.attributes, ...tagAttributes });
      lines.push(...rejectedNote(tag, series));
      if (series.histogram.totalCount === 0) continue;
      lines.push(
        formatInterval(series.histogram, {
          tag,
          startSec: (startOf(series) - baseMs) / 1000,
          endSec: (endMs - baseMs) / 1000,
          valueScale,
          level,
        }),
      );
      lineCount++;
      if (++encodedInTurn % SERIES_PER_TURN === 0) await nextTurn();
    }
  }
  return { startMs, earliestMs, baseMs, notes, text: lines.join(''), lineCount };
}

/** A comment about values that could not be counted: a log has no other place for them. */
function rejectedNote(tag: string, { rejected }: SeriesSnapshot): string[] {
  const { notANumber, negative, tooLarge, overflowing } = rejected;
  if (notANumber + negative + tooLarge + overflowing === 0) return [];
  return [formatComment(`[Rejected: ${jsonLine({ tag, ...rejected })}]`)];
}

/** Whether there is anything to write. */
export function hasNews(difference: Snapshot): boolean {
  return difference.families.some(({ series }: FamilySnapshot) => series.length > 0);
}
