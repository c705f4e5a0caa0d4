import type { Bounds } from '@hdrscope/core';
import { formatShare } from '@hdrscope/kit';
import { formatCount } from '@hdrscope/plot';
import { boundsText } from '../src/bounds-text.ts';
import type { FamilyFacts, HistoryFacts, ObjectiveResult, TableMessage } from '../src/messages.ts';
import { lengthText } from './clock.ts';

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
}: HistoryFacts): string {
  if (intervals === 0) return '';
  const [finest, coarsest] = [finestMs, coarsestMs].map(roughText);
  const lengths = finest === coarsest ? finest : `${finest} to ${coarsest}`;
  const remembered = `The server remembers ${roughText(range.toMs - range.fromMs)}`;
  return `${remembered} in intervals of ${lengths}: ${mebibytes(bytes)} of ${mebibytes(mostBytes)} MiB`;
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
