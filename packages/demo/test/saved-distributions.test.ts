import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { summarizeLogs } from '@hdrscope/interval-log';
import { saveDistributions } from '../src/saved-distributions.ts';

test('each route with values gets a file, in milliseconds, and a log has them whole', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hdrscope-'));
  try {
    const histogram = new Histogram();
    histogram.record(2_500_000);
    const files = await saveDistributions(
      join(directory, 'new'),
      [
        { label: 'GET /products/{id}', histogram },
        { label: 'POST /login', histogram: undefined },
      ],
      { startSec: 1_700_000_000, endSec: 1_700_000_045 },
    );
    expect(files).toEqual(['get-products-id.hgrm', 'routes.hlog']);
    expect(readdirSync(join(directory, 'new'))).toEqual(files);
    expect(readFileSync(join(directory, 'new', files[0]!), 'utf8')).toBe(
      formatPercentiles(histogram, { valueScale: 1e6 }),
    );
    const { tags } = await summarizeLogs([join(directory, 'new', files[1]!)]);
    expect(tags).toMatchObject([{ tag: 'get-products-id', startSec: 1_700_000_000, endSec: 1_700_000_045 }]);
    expect(tags[0]!.histogram.max).toBe(histogram.max);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
