import { timeTickText } from '../chart/time-text.ts';
import { tickText } from '../chart/value-axis.ts';
import type { AxisSlot, HeatAxis } from '../plot.ts';
import { plain } from './text.ts';

/** A slot by its lower bound: `100 µs`; `<0` when it is open below, `≥2 s` when it is open above. */
export function slotLabel({ lower, upper }: AxisSlot, unit: HeatAxis['unit'], isAscii: boolean): string {
  if (lower === Number.NEGATIVE_INFINITY) {
    return upper === Number.POSITIVE_INFINITY ? 'all' : `<${boundLabel(upper, unit, isAscii)}`;
  }
  const from = boundLabel(lower, unit, isAscii);
  return upper === Number.POSITIVE_INFINITY ? plain(`≥${from}`, isAscii) : from;
}

function boundLabel(value: number, unit: HeatAxis['unit'], isAscii: boolean): string {
  return unit === 'time' ? timeTickText(value) : plain(tickText(value, unit), isAscii);
}
