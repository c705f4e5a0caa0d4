/** What `-h` prints. Every argument of Java's `HistogramLogProcessor` is here, those too that it does not tell of. */
export const PROCESSOR_USAGE = `Usage: hdrscope log process [-i LOG] [-o FILE] [ARGUMENT...]

Sums up an interval log. Without -o the percentile distribution of all its intervals is printed. With -o there are
files: FILE has a line for each interval, FILE.hgrm the distribution, and FILE.mwp a moving window if -mwp or -mwpl
asks for one.

  -i LOG        the log, compressed by gzip or not [standard input]
  -o FILE       where the output goes [standard output]
  -csv          columns separated by commas
  -tag TAG      intervals with this tag [those without any]
  -listtags     print which tags there are, and nothing else
  -start SEC    intervals that start at least SEC seconds after the start of the log [0]
  -end SEC      end at the first interval that starts later than SEC seconds after the start [the end of the log]

  -outputValueUnitRatio R
                divide values by R [1000000: nanoseconds are printed as milliseconds]
  -percentilesOutputTicksPerHalf N
                rows of the distribution before the distance to 100 % is halved [5]
  -mwp P        percentile P of a moving window [99]
  -mwpl MS      length of the window in milliseconds [60000]
  -correctLogWithKnownCoordinatedOmission I
                add what a load generator that waits left out, where it was to send a request every I; I is in the raw
                unit of the values, so 1000000 is 1 ms in a log of nanoseconds. Without -tag, intervals of all tags
                are counted then, as HdrHistogram does it.

  -v            say everything of an error
  -alltags      nothing; HdrHistogram takes it too
  -h            this text
`;
