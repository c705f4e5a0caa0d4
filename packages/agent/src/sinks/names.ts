import type { HdrPrometheusExporterOptions } from '@hdrscope/prometheus';
import type * as z from '#zod';
import { oneOf } from '../config/values.ts';

type Strategy = NonNullable<HdrPrometheusExporterOptions['translationStrategy']>;

/** How names in Prometheus are made: the key of all sinks that write for it. The environment of the process does not matter. */
export const translationStrategy: z.ZodType<Strategy, Strategy | undefined> = oneOf(
  'UnderscoreEscapingWithSuffixes',
  'UnderscoreEscapingWithoutSuffixes',
  'NoUTF8EscapingWithSuffixes',
  'NoTranslation',
  'UnderscoreEscapingWithoutUnits',
)
  .default('UnderscoreEscapingWithSuffixes')
  .describe('How names are made: with the suffixes of units, such as _seconds, by default.');
