import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { saveDistributions } from '../src/saved-distributions.ts';

test('each route with values gets a file, in milliseconds', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hdrscope-'));
  try {
    const histogram = new Histogram();
    histogram.record(2_500_000);
    const files = await saveDistributions(join(directory, 'new'), [
      { label: 'GET /products/{id}', histogram },
      { label: 'POST /login', histogram: undefined },
    ]);
    expect(files).toEqual(['get-products-id.hgrm']);
    expect(readdirSync(join(directory, 'new'))).toEqual(files);
    expect(readFileSync(join(directory, 'new', files[0]!), 'utf8')).toBe(
      formatPercentiles(histogram, { valueScale: 1e6 }),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});
