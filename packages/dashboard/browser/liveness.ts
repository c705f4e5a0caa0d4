import type { Zone } from '@hdrscope/plot/internal';
import type { TimeRange } from '../src/question.ts';
import { agoText, dateTimeText, isSinceStart, lengthText, rangeText, timeText } from './clock.ts';
import type { ConnectionState } from './connection.ts';

/** Everything on which the status of the page depends. */
export interface LivenessFacts {
  readonly connection: ConnectionState;
  /** When the last update came, by the clock of this machine in ms; `undefined` before the first one. */
  readonly lastUpdateMs: number | undefined;
  readonly nowMs: number;
  readonly everyMs: number;
  /** The time of the drawn data, by the clock of the server; `undefined` when the page is not paused. */
  readonly pausedMs: number | undefined;
  /** The time of a record; `undefined` when the server goes on. */
  readonly recorded: TimeRange | undefined;
  /** Whether the server still reads the record. */
  readonly isReading: boolean;
}

/** The status of the page. */
export interface Liveness {
  readonly kind: 'live' | 'paused' | 'late' | 'recorded' | 'reading' | 'connecting';
  readonly text: string;
  /** Whether the data are older than they should be, so that they are dimmed. */
  readonly isStale: boolean;
}

// A busy machine delays an update by so much, although nothing is wrong.
const LEAST_PATIENCE_MS = 2000;

/** Whether data are as new as they should be. An update that is late by half an interval is missing. */
export function livenessOf(facts: LivenessFacts, zone: Zone): Liveness {
  const { connection, lastUpdateMs, nowMs, everyMs, pausedMs, recorded, isReading } = facts;
  if (lastUpdateMs === undefined) {
    const text = connection === 'lost' ? 'No connection' : 'Connecting…';
    return { kind: connection === 'lost' ? 'late' : 'connecting', text, isStale: false };
  }
  if (recorded !== undefined && isReading) {
    const soFar = recorded.toMs === recorded.fromMs ? '' : ` so far ${recordText(recorded, zone)}`;
    return { kind: 'reading', text: `Reading…${soFar}`, isStale: false };
  }
  if (recorded !== undefined) {
    return { kind: 'recorded', text: `Recorded ${recordText(recorded, zone)}`, isStale: false };
  }
  const ageMs = nowMs - lastUpdateMs;
  const isLate = ageMs > Math.max(LEAST_PATIENCE_MS, 1.5 * everyMs);
  const age = `update for ${agoText(ageMs)}`;
  if (pausedMs !== undefined) {
    const text = `Paused at ${timeText(pausedMs, zone)}${isLate ? `, no ${age}` : ''}`;
    return { kind: isLate ? 'late' : 'paused', text, isStale: isLate };
  }
  if (isLate) return { kind: 'late', text: `No ${age}`, isStale: true };
  return { kind: 'live', text: 'Live', isStale: false };
}

function recordText(range: TimeRange, zone: Zone): string {
  const { fromMs, toMs } = range;
  if (isSinceStart(fromMs)) return `without a date, ${lengthText(toMs - fromMs)} long`;
  const [from, to] = [fromMs, toMs].map((ms) => dateTimeText(ms, zone).slice(0, 10));
  // A range of several days has its dates.
  return from === to ? `${from}, ${rangeText(range, zone)}` : rangeText(range, zone);
}
