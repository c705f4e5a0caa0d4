import { spawnSync } from 'node:child_process';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { convertSnapshot, type ExpositionFormat, render } from '../src/index.ts';
import { testRegistry } from './support/registry.ts';

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
  return render(convertSnapshot(await registry.gather()), format);
}

testUnless(lackOfProgram('promtool'))('promtool has nothing against the text', async () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await exposition('text'),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
