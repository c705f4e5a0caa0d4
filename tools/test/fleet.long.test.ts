import { spawnSync } from 'node:child_process';
import { SOURCE_ARGUMENTS } from '../lib/import-source.js';
import { workspaceRoot } from '../lib/workspace.js';

test.each([
  ['one row for each host, by two gateways over HTTP', ['--gateways', '2']],
  ['one series of all hosts, by a gateway over gRPC', ['--drop', '--protocol', 'grpc']],
  ['one of two gateways is killed, and replaced', ['--gateways', '2', '--kill', '--minutes', '6']],
])(
  'a small fleet has the truth in all answers: %s',
  (_, options) => {
    const size = [
      '--hosts',
      '25',
      '--series',
      '3',
      '--minutes',
      '4',
      '--period',
      '0.5',
      '--engines',
      'duckdb',
    ];
    const args = [...SOURCE_ARGUMENTS, 'tools/fleet/main.js', ...size, ...options];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: workspaceRoot,
      encoding: 'utf8',
      timeout: 240_000,
    });
    expect({ status, stderr: stderr.replaceAll(/^minute .*\n/gm, '') }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('All answers hold the truth, and all counts are equal.');
    expect(stdout).toContain(
      options.includes('--kill') ? 'A gateway was killed.' : 'duckdb: load and ask both questions',
    );
  },
  250_000,
);
