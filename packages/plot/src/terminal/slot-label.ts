import type { AxisSlot, HeatAxis } from '../plot.ts';
import { formatValue } from '../value-text.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;

/** A slot as its lower bound tells it: `100 µs`, `<0` for one that is open downwards, `≥2 s` upwards. */
export function slotLabel({ lower, upper }: AxisSlot, unit: HeatAxis['unit'], isAscii: boolean): string {
  if (lower === Number.NEGATIVE_INFINITY) {
    return upper === Number.POSITIVE_INFINITY ? 'all' : `<${boundLabel(upper, unit, isAscii)}`;
  }
  const from = boundLabel(lower, unit, isAscii);
  return upper === Number.POSITIVE_INFINITY ? `${isAscii ? '>=' : '≥'}${from}` : from;
}

function boundLabel(value: number, unit: HeatAxis['unit'], isAscii: boolean): string {
  if (unit === 'time') return timeLabel(value);
  // Nothing is nothing in every unit.
  const text = value === 0 ? '0' : formatValue(value, unit);
  return isAscii ? text.replace('µ', 'u') : text;
}

/** `14:05:30` in UTC, with tenths of a second where there are some; days by their date. */
function timeLabel(ms: number): string {
  // What no Date can be is shown as it is.
  if (!(Math.abs(ms) <= 8.64e15)) return String(ms);
  const text = new Date(ms).toISOString();
  if (ms % DAY_MS === 0) return text.slice(0, text.indexOf('T'));
  const time = text.slice(text.indexOf('T') + 1, -1);
  return ms % SECOND_MS === 0 ? time.slice(0, -4) : time;
}
