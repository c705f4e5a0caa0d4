/** An argument of `hdrscope log process`. */
export interface ProcessorArgument {
  /** Name with its dash: `-tag`. */
  readonly name: string;
  /** Placeholder of the value in the help, such as `TAG`; `undefined` for an argument without a value. */
  readonly value?: string;
  /** One line or several. Brackets at the end hold the default. */
  readonly description: string;
}

/** All arguments of Java's `HistogramLogProcessor`, including undocumented ones, in the groups of the help. */
const GROUPS: readonly (readonly ProcessorArgument[])[] = [
  [
    {
      name: '-i',
      value: 'LOG',
      description: 'path of the log, which may be compressed by gzip [standard input]',
    },
    { name: '-o', value: 'FILE', description: 'path of the output [standard output]' },
    { name: '-csv', description: 'separate columns by commas' },
    { name: '-tag', value: 'TAG', description: 'process intervals with this tag [intervals without a tag]' },
    { name: '-listtags', description: 'print only the tags of the log' },
    {
      name: '-start',
      value: 'SEC',
      description: 'process intervals that start at least SEC seconds after the start of the log [0]',
    },
    {
      name: '-end',
      value: 'SEC',
      description:
        'end at the first interval that starts more than SEC seconds after the start of the log [the end of the log]',
    },
  ],
  [
    {
      name: '-outputValueUnitRatio',
      value: 'R',
      description: 'divide values by R [1000000: prints nanoseconds as milliseconds]',
    },
    {
      name: '-percentilesOutputTicksPerHalf',
      value: 'N',
      description: 'rows of the distribution before the distance to 100 % is halved [5]',
    },
    { name: '-mwp', value: 'P', description: 'print percentile P of a moving window [99]' },
    { name: '-mwpl', value: 'MS', description: 'length of the window in milliseconds [60000]' },
    {
      name: '-correctLogWithKnownCoordinatedOmission',
      value: 'I',
      description: `add the values that a waiting load generator left out; it should have sent a request every I. I is in
the raw unit of the values, so 1000000 is 1 ms in a log of nanoseconds. Without -tag, this counts
intervals of all tags, as HdrHistogram does.`,
    },
  ],
  [
    { name: '-v', description: 'print the stack and the causes of an error' },
    { name: '-alltags', description: 'no effect, as in HdrHistogram' },
    { name: '-h', description: 'print this text' },
  ],
];

/**
 * The arguments of `runProcessor`, for shell completion and lists.
 *
 * @example
 * ```ts
 * import { PROCESSOR_ARGUMENTS } from '@hdrscope/interval-log/internal';
 *
 * PROCESSOR_ARGUMENTS[0]; //=> { name: '-i', value: 'LOG', description: 'path of the log, which may be compressed by gzip [standard input]' }
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

/** The text that `-h` prints. */
export const PROCESSOR_USAGE: string = `Usage: hdrscope log process [-i LOG] [-o FILE] [ARGUMENT...]

Sums up an interval log. Without -o it prints the percentile distribution of the processed intervals. With -o it
writes files: FILE has a line for each interval, FILE.hgrm the distribution, and FILE.mwp a moving window if -mwp
or -mwpl is given.

Where intervals have unlike digits or units, the first one decides, as in HdrHistogram: the answer then depends on
the order of the intervals. That of hdrscope log summary does not.

${GROUPS.map((group) => group.map(usageOf).join('')).join('\n')}`;
