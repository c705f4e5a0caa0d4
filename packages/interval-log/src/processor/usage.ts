/** An argument of `hdrscope log process`, as its help tells of it. */
export interface ProcessorArgument {
  /** `-tag`. */
  readonly name: string;
  /** What stands for its value in the help: `TAG`; `undefined` where it has none. */
  readonly value?: string;
  /** One or several lines. */
  readonly description: string;
}

/** In groups, as the help shows them. Every argument of Java's `HistogramLogProcessor` is here, those too that it does not tell of. */
const GROUPS: readonly (readonly ProcessorArgument[])[] = [
  [
    { name: '-i', value: 'LOG', description: 'the log, compressed by gzip or not [standard input]' },
    { name: '-o', value: 'FILE', description: 'where the output goes [standard output]' },
    { name: '-csv', description: 'columns separated by commas' },
    { name: '-tag', value: 'TAG', description: 'intervals with this tag [those without any]' },
    { name: '-listtags', description: 'print which tags there are, and nothing else' },
    {
      name: '-start',
      value: 'SEC',
      description: 'intervals that start at least SEC seconds after the start of the log [0]',
    },
    {
      name: '-end',
      value: 'SEC',
      description:
        'end at the first interval that starts later than SEC seconds after the start [the end of the log]',
    },
  ],
  [
    {
      name: '-outputValueUnitRatio',
      value: 'R',
      description: 'divide values by R [1000000: nanoseconds are printed as milliseconds]',
    },
    {
      name: '-percentilesOutputTicksPerHalf',
      value: 'N',
      description: 'rows of the distribution before the distance to 100 % is halved [5]',
    },
    { name: '-mwp', value: 'P', description: 'percentile P of a moving window [99]' },
    { name: '-mwpl', value: 'MS', description: 'length of the window in milliseconds [60000]' },
    {
      name: '-correctLogWithKnownCoordinatedOmission',
      value: 'I',
      description: `add what a load generator that waits left out, where it was to send a request every I; I is in the raw
unit of the values, so 1000000 is 1 ms in a log of nanoseconds. Without -tag, intervals of all tags
are counted then, as HdrHistogram does it.`,
    },
  ],
  [
    { name: '-v', description: 'say everything of an error' },
    { name: '-alltags', description: 'nothing; HdrHistogram takes it too' },
    { name: '-h', description: 'this text' },
  ],
];

/**
 * The arguments that `runProcessor` takes: for what completes or lists them.
 *
 * @example
 * ```ts
 * import { PROCESSOR_ARGUMENTS } from '@hdrscope/interval-log';
 *
 * PROCESSOR_ARGUMENTS[0]; //=> { name: '-i', value: 'LOG', description: 'the log, compressed by gzip or not [standard input]' }
 * ```
 */
export const PROCESSOR_ARGUMENTS: readonly ProcessorArgument[] = GROUPS.flat();

const INDENT = 16;

function usageOf({ name, value, description }: ProcessorArgument): string {
  const flag = `  ${name}${value === undefined ? '' : ` ${value}`}`;
  const [first, ...rest] = description.split('\n').map((line) => `${' '.repeat(INDENT)}${line}\n`);
  const beside = flag.length < INDENT ? flag.padEnd(INDENT) + first!.trimStart() : `${flag}\n${first}`;
  return beside + rest.join('');
}

/** What `-h` prints. */
export const PROCESSOR_USAGE: string = `Usage: hdrscope log process [-i LOG] [-o FILE] [ARGUMENT...]

Sums up an interval log. Without -o the percentile distribution of all its intervals is printed. With -o there are
files: FILE has a line for each interval, FILE.hgrm the distribution, and FILE.mwp a moving window if -mwp or -mwpl
asks for one.

${GROUPS.map((group) => group.map(usageOf).join('')).join('\n')}`;
