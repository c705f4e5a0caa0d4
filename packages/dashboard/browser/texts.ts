import type { Bounds } from '@hdrscope/core';
import { formatShare } from '@hdrscope/kit';
import { formatCount } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import { boundsText } from '../src/bounds-text.ts';
import type { FamilyFacts, HistoryFacts, ObjectiveResult, PastFacts, TableMessage } from '../src/messages.ts';
import { dateTimeText, lengthText, longRangeText } from './clock.ts';

/** A rate: `1,234/s`, with three digits below 100. */
export function rateText(perSecond: number): string {
  if (perSecond === 0) return '-';
  const rounded = perSecond >= 100 ? Math.round(perSecond) : Number(perSecond.toPrecision(3));
  return `${rounded.toLocaleString('en-US')}/s`;
}

/** A value in a unit that people read, or a bare number when plots do not know the unit. Wide bounds have both ends: `1 to 2.5 s`. */
export function valueText(
  value: Bounds | undefined,
  family: Pick<FamilyFacts, 'counted' | 'digits'>,
): string {
  return value === undefined ? '-' : boundsText(value, family);
}

/** Which rows a table leaves out, and how to see them. Empty when it leaves out none. */
export function leftOutText(count: number, isMerged: boolean, isFiltered: boolean): string {
  if (count === 0) return '';
  const left = `The table leaves out the ${formatCount(count)} ${isMerged ? 'rows' : 'series'} with the fewest values.`;
  if (isMerged) return `${left} To see them, add a filter, or merge by fewer attributes.`;
  const filter = `To ${isFiltered ? 'add a filter' : 'filter'}, type an attribute such as route=/pay and press Enter.`;
  return `${left} The search does not find them; filters and merged rows count all series. ${filter}`;
}

/** The requests that the server has refused: `This server has refused 3 (token), 1,200 (connections)`. Empty when it has refused nothing. */
export function refusalsText(refusals: TableMessage['refusals']): string {
  if (refusals.length === 0) return '';
  const parts = refusals.map(([reason, count]) => `${formatCount(count)} (${reason})`);
  return `This server has refused ${parts.join(', ')}`;
}

/** The history of the server: `The server remembers 2 h 10 min in intervals of 1 s to 1 min: 48 of 64 MiB`. */
export function historyText({
  range,
  intervals,
  finestMs,
  coarsestMs,
  bytes,
  mostBytes,
  gapMs,
}: HistoryFacts): string {
  if (intervals === 0) return '';
  const [finest, coarsest] = [finestMs, coarsestMs].map(roughText);
  const lengths = finest === coarsest ? finest : `${finest} to ${coarsest}`;
  const remembered = `The server remembers ${roughText(range.toMs - range.fromMs - gapMs)}`;
  return `${remembered} in intervals of ${lengths}: ${mebibytes(bytes)} of ${mebibytes(mostBytes)} MiB`;
}

/** Since when the server remembers, what a restart leaves of it, and what is missing. */
export function pastText(
  { range, intervals, gaps, gapCount }: HistoryFacts,
  past: PastFacts,
  zone: Zone,
): string {
  if (intervals === 0) return '';
  const time = (ms: number): string => dateTimeText(ms, zone);
  const { isKept, everyMs, writtenMs, bytes, earlier } = past;
  const sentences = [`It remembers since ${time(range.fromMs)}.`];
  if (isKept) {
    const written = writtenMs === null ? '' : `, up to ${time(writtenMs)} now (${mebibytes(bytes)} MiB)`;
    const rest = `It is written every ${roughText(everyMs)} or so: a server that is killed loses what came later.`;
    sentences.push(`A folder keeps this over restarts${written}.`, rest);
  } else sentences.push('It has this in memory only: a restart forgets it.');
  if (earlier !== null) {
    const { endMs, isWhole } = earlier;
    const end = `What an earlier server remembered ends at ${time(endMs)}`;
    sentences.push(isWhole ? `${end}, when it was stopped.` : `${end}: what it counted later is lost.`);
    for (const text of missingTexts(earlier)) sentences.push(text);
  }
  const lastGap = gaps.at(-1);
  if (lastGap !== undefined) {
    const last = longRangeText(lastGap, zone);
    const several = `${formatCount(gapCount)} gaps, the last one ${last}`;
    sentences.push(`Nothing is known of ${gapCount === 1 ? last : several}.`);
  }
  return sentences.join(' ');
}

function missingTexts({
  damagedBytes,
  misplacedIntervals,
  namelessCounts,
}: NonNullable<PastFacts['earlier']>): string[] {
  const texts: string[] = [];
  if (damagedBytes > 0)
    texts.push(`${formatCount(damagedBytes)} bytes of the folder were damaged or cut, and are left out.`);
  if (misplacedIntervals > 0)
    texts.push(`${formatCount(misplacedIntervals)} intervals are left out: the clock was set back since.`);
  if (namelessCounts > 0)
    texts.push(`${formatCount(namelessCounts)} counts are left out: the names of their series were damaged.`);
  return texts;
}

/** What a restart of the server means for the counts and for the history. */
export function restartText({ history, past, timeMs }: TableMessage, zone: Zone): string {
  const { intervals, range, gaps } = history;
  const endMs = past?.earlier?.endMs;
  if (endMs === undefined) {
    // The first time that the server remembers: it may have started long before, and have forgotten it.
    const time = dateTimeText(intervals > 0 ? range.fromMs : timeMs, zone);
    return `The server restarted at ${time} or before. All counts began anew.`;
  }
  const gap = gaps.find(({ fromMs }) => fromMs === endMs) ?? { fromMs: endMs, toMs: timeMs };
  return `The server restarted, and nothing is known of ${longRangeText(gap, zone)}. Counts since the start began anew; the time before stays on the timeline.`;
}

/** Why a folder does not keep the history, although it should; empty when it does. */
export function pastProblemText({ problem, failingSinceMs }: PastFacts, zone: Zone): string {
  if (problem === null) return '';
  const since =
    failingSinceMs === null ? '' : `, nothing is written since ${dateTimeText(failingSinceMs, zone)}`;
  return `${problem}${since}. The page goes on in memory.`;
}

/** The record that the server has read: `The record has intervals of 10 min or longer: 48 of 64 MiB`. */
export function recordFactsText({ intervals, finestMs, bytes, mostBytes }: HistoryFacts): string {
  if (intervals === 0) return '';
  const memory = `${mebibytes(bytes)} of ${mebibytes(mostBytes)} MiB`;
  // A gap is an interval too, so the longest one says nothing.
  return `The record has intervals of ${roughText(finestMs)} or longer: ${memory}`;
}

/** A length of time in whole seconds, or in tenths of one when it is shorter. */
function roughText(ms: number): string {
  return lengthText(ms < 950 ? Math.max(100, Math.round(ms / 100) * 100) : Math.round(ms / 1000) * 1000);
}

function mebibytes(bytes: number): string {
  const amount = bytes / 2 ** 20;
  // A few bytes are not shown as 0.
  return formatCount(amount < 10 ? Math.ceil(amount * 10) / 10 : Math.round(amount));
}

/** A share as a percentage, or its bounds when it is not exactly known: `99.87 – 99.91 %`. */
export function shareText(share: ObjectiveResult['share']): string {
  if (share === null) return 'no values';
  const [from, to] = [formatShare(share.lower), formatShare(share.upper)];
  return from === to ? to : `${from.slice(0, -' %'.length)} – ${to}`;
}
