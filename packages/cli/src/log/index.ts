import type { Group } from '../group.ts';

/** `hdrscope log`: one module per command, loaded when it runs. */
export const LOG: Group = {
  path: 'hdrscope log',
  description: `Works on HdrHistogram's interval logs, of any version and by any writer, plain or gzipped; - is standard input.
summary, compare and convert take percentile text (.hgrm, its CSV, wrk2 --latency) for a log, too.`,
  commands: [
    {
      name: 'summary',
      summary: 'counts, rates and percentiles of each tag',
      load: () => import('./summary.ts'),
    },
    {
      name: 'compare',
      summary: 'percentiles before and after a change, and whether the difference is real',
      load: () => import('./compare.ts'),
    },
    {
      name: 'tail',
      summary: 'percentiles of the last intervals, and of those to come',
      load: () => import('./tail.ts'),
    },
    {
      name: 'merge',
      summary: 'several logs in one, in the order of time',
      load: () => import('./merge.ts'),
    },
    { name: 'slice', summary: 'a part of a log: times, tags', load: () => import('./slice.ts') },
    {
      name: 'reinterval',
      summary: 'longer intervals, without loss',
      load: () => import('./reinterval.ts'),
    },
    {
      name: 'convert',
      summary: 'other formats: V2, NDJSON, CSV, percentile text',
      load: () => import('./convert.ts'),
    },
    {
      name: 'process',
      summary: "what Java's HistogramLogProcessor prints, by its arguments",
      load: () => import('./process.ts'),
    },
  ],
  examples: [
    'hdrscope log summary service.hlog',
    'hdrscope log compare before.hlog after.hlog --fail-if-worse 5%',
    'hdrscope log tail -f service.hlog',
  ],
};
