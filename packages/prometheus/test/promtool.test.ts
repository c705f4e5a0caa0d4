import { spawnSync } from 'node:child_process';
import { type ExpositionFormat, familiesOfSnapshot, render } from '../src/index.ts';
import { testRegistry } from './support/registry.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) console.log("skipped: promtool is not installed (Debian's package prometheus has it)");

async function exposition(format: ExpositionFormat): Promise<Uint8Array> {
  const registry = testRegistry();
  const family = registry.histogram({
    name: 'http.server.request.duration.seconds',
    unit: 's',
    description: 'A "help"\nof two lines \\',
    scope: { name: 'http', version: '1.0' },
  });
  for (const value of [0.004, 0.2, 3, 60, -1])
    family.with({ route: '/a"b\\c\nd', 'naïve-ключ': '日本' }).record(value);
  return render(familiesOfSnapshot(await registry.gather()), format);
}

(hasPromtool ? test : test.skip)('promtool has nothing against the text', async () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await exposition('text'),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
