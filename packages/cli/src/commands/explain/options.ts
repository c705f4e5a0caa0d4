import { between, readDecimal } from '../../arguments.ts';
import { defineOptions, type OptionsOf } from '../../define-command.ts';
import { SELECTION } from '../../inputs/selection-options.ts';
import { integer, unitOption, WHERE } from '../../options.ts';
import { ALLOW_MISSING } from '../query/engine.ts';

/** The options of the command. Some are for histories alone, and some for logs. */
export const EXPLAIN = defineOptions({
  metric: {
    value: '<name>',
    help: 'the metric',
    fallback: 'the only one that there is',
  },
  allowMissing: ALLOW_MISSING,
  before: {
    value: '<range or file...>',
    help: 'what was usual: a range of time of the history, or logs',
    isRepeated: true,
    fallback: 'the first log',
  },
  after: {
    value: '<range or file...>',
    help: 'what to explain: a range of time, or logs',
    isRepeated: true,
    fallback: 'the second log',
  },
  percentile: {
    value: '<number>',
    help: 'which percentile, as in 99 or 99.9',
    allowed: 'a number above 0 and below 100, as in 99.9',
    parse: between(0, 100, (text) => readDecimal(text.replace(/^p/, ''))),
    default: 99.9,
  },
  where: WHERE,
  unit: unitOption('the unit of values in logs that do not state it', 'ns'),
  ...SELECTION,
  top: {
    value: '<count>',
    help: 'how many attribute values the table shows',
    parse: integer(1),
    default: 10,
  },
});

export type ExplainOptions = OptionsOf<typeof EXPLAIN>;
