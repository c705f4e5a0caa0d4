import { readFileSync } from 'node:fs';
import { createHdr } from '../src/index.ts';

test('the instrumentation has the version of the package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { instrumentationVersion } = createHdr({ views: [] }).instrumentation();
  expect(instrumentationVersion).toBe(manifest.version);
});
