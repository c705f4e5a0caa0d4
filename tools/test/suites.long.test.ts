import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeWithPeers } from '@hdrscope/testing';

const RUNNER = fileURLToPath(new URL('../peers/suites/run-suite.js', import.meta.url));

describeWithPeers(['opentelemetry-suites'])('the tests of OpenTelemetry for its own packages', () => {
  test('pass with hdrscope, but for the listed ones', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER], {
      encoding: 'utf8',
      timeout: 500_000,
    });
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
  const { status, stdout, stderr } = spawnSync(process.execPath, [suite], {
    encoding: 'utf8',
    timeout: 580_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(stdout)!;
  expect(Number(passed)).toBeGreaterThan(100);
  expect(Number(failed)).toBeLessThanOrEqual(5);
}, 600_000);
