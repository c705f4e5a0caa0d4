import type { Group } from '../command-module.ts';

/** `hdrscope log`: one module per command, loaded when it runs. */
export const group: Group = {
  path: 'hdrscope log',
  description: `Works on HdrHistogram's interval logs, of any version and by any writer, plain or gzipped; - is standard input.
summary and convert also take percentile text (.hgrm, its CSV, wrk2 --latency).\nhdrscope diff compares logs.`,
  commands: [
    {
      name: 'summary',
      summary: 'prints counts, rates and percentiles of each tag',
      load: () => import('./summary.ts'),
    },
    {
      name: 'tail',
      summary: 'prints percentiles of the last intervals, and of new ones',
      load: () => import('./tail.ts'),
    },
    {
      name: 'merge',
      summary: 'merges several logs into one, in the order of time',
      load: () => import('./merge.ts'),
    },
    { name: 'slice', summary: 'copies a part of a log: times, tags', load: () => import('./slice.ts') },
    {
      name: 'reinterval',
      summary: 'makes longer intervals, without loss',
      load: () => import('./reinterval.ts'),
    },
    {
      name: 'convert',
      summary: 'writes other formats: V2, NDJSON, CSV, percentile text',
      load: () => import('./convert.ts'),
    },
    {
      name: 'process',
      summary: "prints what Java's HistogramLogProcessor prints, with the same arguments",
      load: () => import('./process.ts'),
    },
  ],
  examples: [
    'hdrscope log summary service.hlog',
    'hdrscope log convert --format csv service.hlog -o service.csv',
    'hdrscope log tail -f service.hlog',
  ],
};
