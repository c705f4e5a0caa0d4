import { NumberReader } from '@hdrscope/kit/number-reader';
import type { AttributeTexts, MetricConfig } from '../config/types.ts';
import type { EntryContext } from '../entry.ts';
import { familyOf } from './metric-family.ts';

/** What a source of numbers counts them as. */
interface NumbersConfig {
  readonly metric: MetricConfig;
  readonly attributes: AttributeTexts;
}

/**
 * Counts the numbers of a text that comes in parts.
 *
 * @param what The origin of the text, for messages: `standard input`.
 */
export function numberReaderOf(
  { metric, attributes }: NumbersConfig,
  context: EntryContext,
  what: string,
): NumberReader {
  const { family, scale } = familyOf(metric);
  const series = context.registry.histogram(family).with(attributes);
  return new NumberReader(
    {
      onNumbers(values, length) {
        for (let i = 0; i < length; i++) series.record(values[i]! * scale);
        context.added(length);
      },
      onBadLine({ lineNumber, text }) {
        const got = `${JSON.stringify(text)} in line ${lineNumber}`;
        context.failed(new Error(`${what} must be numbers, got ${got}`));
      },
    },
    // The series counts negative numbers as rejected.
    { column: 'every', smallest: -Number.MAX_VALUE },
  );
}
