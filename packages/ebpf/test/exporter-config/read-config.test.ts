import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEbpfExporterConfig } from '../../src/index.ts';

const CONFIG = `metrics:
  histograms:
    - name: bio_latency_seconds
      bucket_type: exp2
      bucket_min: 0
      bucket_max: 26
      bucket_multiplier: 0.000001
      labels: [{ name: bucket, size: 8, decoders: [{ name: uint }] }]
`;

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'hdrscope-exporter-')), 'biolatency.yaml');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

test('reads the histograms of a file, with the options of the parser', async () => {
  writeFileSync(path, CONFIG);
  expect(await readEbpfExporterConfig(path, { prefix: 'bpf_' })).toMatchObject([
    { name: 'bio_latency_seconds', family: { name: 'bpf_bio_latency_seconds' } },
  ]);
});

test.each([
  ['an invalid one', 'metrics: 7', 'ERR_INVALID_OPTION', 'metrics must be'],
  ['one without histograms', 'metrics: {}', 'ERR_INVALID_OPTION', 'must have histograms under metrics'],
  ['one that is too long', `${CONFIG}${'#'.repeat(2 ** 20)}`, 'ERR_TOO_LARGE', ''],
  ['one that is absent', undefined, 'ERR_INVALID_OPTION', 'ENOENT'],
])('refuses a file, %s, by its path', async (_, text, code, message) => {
  if (text !== undefined) writeFileSync(path, text);
  await expect(readEbpfExporterConfig(path)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
    details: { path },
  });
});
