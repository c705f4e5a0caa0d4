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
