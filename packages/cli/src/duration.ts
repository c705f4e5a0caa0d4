import { DURATION_FORMS, durationNs } from '@hdrscope/kit';
import { isDecimal, wrongOption } from './arguments.ts';

/** The seconds of `1h30m`, `500ms` or `1.5s`; a number alone counts seconds. `undefined` when the text is neither. */
export function durationSeconds(text: string): number | undefined {
  if (isDecimal(text)) return Number(text);
  const ns = durationNs(text);
  return ns === undefined ? undefined : ns / 1e9;
}

/**
 * The seconds of a duration above 0.
 *
 * @throws UsageError
 */
export function parseDuration(text: string, name: string): number {
  const seconds = durationSeconds(text);
  if (seconds === undefined || seconds === 0)
    throw wrongOption(name, `a duration above 0, ${DURATION_FORMS}`, text);
  return seconds;
}

const STEPS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
  [1, 'ms'],
];

/** A duration as `parseDuration` and PromQL read it, such as `4m40s`, rounded to a millisecond. */
export function durationText(ms: number): string {
  let rest = Math.round(ms);
  let text = '';
  for (const [step, unit] of STEPS) {
    const count = Math.floor(rest / step);
    rest -= count * step;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}
