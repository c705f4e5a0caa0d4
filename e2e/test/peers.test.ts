import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const installer = join(import.meta.dirname, '../../tools/peers/install.js');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-peers-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the installer with a cache in the folder. Only programs in `bin` of the folder are in the PATH. */
function install(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [installer, ...args], {
    encoding: 'utf8',
    env: { PATH: join(folder, 'bin'), HDRSCOPE_PEERS_DIR: join(folder, 'peers') },
  });
}

function addProgram(name: string, script: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

test('the installer prints why a peer cannot be installed, and leaves nothing behind', () => {
  const { status, stdout } = install();

  expect(status).toBe(1);
  expect(stdout).toMatch(/^prometheus-2 .* not installed: there is no apt-get on this machine$/m);
  expect(stdout).toMatch(/^hdrhistogram-java .* not installed: there is no java on this machine$/m);
  expect(stdout).toMatch(
    /^ceph-client .* not installed: there is no (apt-get|\/usr\/bin\/python3) on this machine$/m,
  );
  expect(stdout).toMatch(/^collectd .* not installed: there is no apt-get on this machine$/m);
  expect(stdout).toMatch(/^collector .* not installed: there is no go on this machine$/m);
  expect(stdout).toMatch(/^prometheus-3 .* not installed: there is no go on this machine$/m);
  expect(stdout).toMatch(/^log-rust .* not installed: there is no cargo on this machine$/m);
  expect(stdout).toMatch(/^log-python .* not installed: there is no python3 on this machine$/m);
  expect(stdout).toMatch(/^opentelemetry-3 .* not installed: there is no npm on this machine$/m);
  // This peer is large, so it is installed by its name only.
  expect(stdout).not.toContain('ceph-cluster');
  expect(readdirSync(join(folder, 'peers'))).toEqual([]);
  expect(install('--list')).toMatchObject({ status: 0, stdout: '' });
});

test('the installer prints the last lines of a failed build, without addresses', () => {
  addProgram(
    'go',
    'echo downloading >&2; echo "go: reading https://proxy.example/x: 404 Not Found" >&2; exit 1',
  );
  const { status, stdout } = install('collector');

  expect(status).toBe(1);
  expect(stdout).toContain(
    'not installed: go build failed: downloading | go: reading (address) 404 Not Found\n',
  );
});

test('the installer builds a peer once, and lists it', () => {
  addProgram(
    'go',
    'while [ "$1" != -o ]; do shift; done; : > "$2"; echo run >> "$HDRSCOPE_PEERS_DIR/../runs"',
  );
  const first = install('collector');
  const second = install('collector');

  expect([first.status, second.status]).toEqual([0, 0]);
  expect(first.stdout).toMatch(/^collector .* installed in \d+ s: .*bin.collector$/m);
  expect(second.stdout).toMatch(/^collector .* is already installed: .*bin.collector$/m);
  expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('run\n');
  expect(install('--list').stdout).toMatch(/^collector\t.*collector-\d+\.\d+\.\d+-\w{8}.bin.collector\n$/);
});

test('the installer refuses an unknown name', () => {
  const { status, stderr } = install('nagios');

  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^no peer is called 'nagios', only prometheus-2, hdrhistogram-java, ceph-client, .*prometheus-3, .*\n$/,
  );
});
