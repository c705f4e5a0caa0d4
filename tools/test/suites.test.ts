import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeWithPeers } from '@hdrscope/testing';
import { differences } from '../peers/suites/run-suite.js';

const RUNNER = fileURLToPath(new URL('../peers/suites/run-suite.js', import.meta.url));

test('a failure that nobody expects differs, and so does an expected one that does not happen', () => {
  const failed = new Map([
    ['known', 'x'],
    ['new', 'must be 1, is 2'],
  ]);
  const expected = { known: 'its reason', mended: 'its reason' };
  expect(differences({ passed: 1, failed }, expected)).toEqual([
    'fails: new\n    must be 1, is 2',
    'is expected to fail, and passes or is gone: mended',
  ]);
  expect(differences({ passed: 1, failed: new Map([['known', 'x']]) }, { known: 'its reason' })).toEqual([]);
});

describeWithPeers(['opentelemetry-suites'])('the tests of OpenTelemetry for its own packages', () => {
  test('pass with hdrscope, but for the listed ones', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER], { encoding: 'utf8' });
    expect({ status, stderr, differing: stdout.split('\n').filter((line) => line.startsWith('  ')) }).toEqual(
      {
        status: 0,
        stderr: '',
        differing: [],
      },
    );
  }, 600_000);
});

test('the tests of hdr-histogram-js pass with the drop-in, but for the listed ones', () => {
  const suite = fileURLToPath(new URL('../peers/suites/hdr-histogram-js.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [suite], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(stdout)!;
  expect(Number(passed)).toBeGreaterThan(100);
  expect(Number(failed)).toBeLessThanOrEqual(5);
}, 300_000);
