import type { Group } from '../command-module.ts';

/** `hdrscope history`: one module per command, loaded when it runs. */
export const group: Group = {
  path: 'hdrscope history',
  description: `Keeps distributions for months: Parquet files in a folder for each day, which DuckDB, ClickHouse and Spark read.
hdrscope query asks them. Services and "hdrscope run" write to such folders too.`,
  commands: [
    {
      name: 'import',
      summary: 'adds interval logs and files of OTLP to a history, each once',
      load: () => import('./import.ts'),
    },
    {
      name: 'compact',
      summary: 'merges the files of each day that has ended',
      load: () => import('./compact.ts'),
    },
    {
      name: 'rollup',
      summary: 'adds rows up by the hour, in a history of its own',
      load: () => import('./rollup.ts'),
    },
  ],
  examples: ['hdrscope history import service.hlog -o history', 'hdrscope history compact history'],
};
