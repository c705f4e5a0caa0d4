import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatPercentiles } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatInterval, LEGEND_LINE } from '@hdrscope/interval-log';
import type { LatencyRow } from './latency-table.ts';

/** When the run began and ended, in seconds since 1970. */
export interface RunTime {
  readonly startSec: number;
  readonly endSec: number;
}

const LOG = 'routes.hlog';

/**
 * Writes each row that has values to a file, in milliseconds and in the format of HdrHistogram's plotters. An interval log
 * has all of them whole, each with the name of its file as tag.
 *
 * @param directory Created if necessary.
 * @returns The names of the files.
 */
export async function saveDistributions(
  directory: string,
  rows: readonly LatencyRow[],
  time: RunTime,
): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const files: string[] = [];
  let log = FORMAT_VERSION_LINE + LEGEND_LINE;
  for (const { label, histogram } of rows) {
    if (histogram === undefined) continue;
    const tag = label
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    await writeFile(join(directory, `${tag}.hgrm`), formatPercentiles(histogram, { valueScale: 1e6 }));
    log += formatInterval(histogram, { ...time, tag });
    files.push(`${tag}.hgrm`);
  }
  await writeFile(join(directory, LOG), log);
  return [...files, LOG];
}
