import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatPercentiles } from '@hdrscope/core';
import type { LatencyRow } from './latency-table.ts';

/**
 * Writes each row that has values to a file, in milliseconds and in the format of HdrHistogram's plotters.
 *
 * @param directory Created if necessary.
 * @returns The names of the files.
 */
export async function saveDistributions(directory: string, rows: readonly LatencyRow[]): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const files: string[] = [];
  for (const { label, histogram } of rows) {
    if (histogram === undefined) continue;
    const file = `${label
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')}.hgrm`;
    await writeFile(join(directory, file), formatPercentiles(histogram, { valueScale: 1e6 }));
    files.push(file);
  }
  return files;
}
