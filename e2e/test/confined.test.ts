import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Lack, lack, lackOfProgram, testUnless } from '@hdrscope/testing';

const BIN = fileURLToPath(
  import.meta.resolve('hdrscope/package.json').replace('package.json', 'bin/hdrscope.js'),
);
const UNIT = fileURLToPath(new URL('../../examples/hdrscope.service', import.meta.url));
const CONTAINERFILE = fileURLToPath(new URL('../../examples/Containerfile', import.meta.url));

const NOBODY = 65_534;

/** A program cannot run here. `undefined` where it can. */
function lackOfRun(program: string, ...args: string[]): Lack | undefined {
  const missing = lackOfProgram(program);
  if (missing !== undefined) return missing;
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return lack(program, status === 0 ? undefined : `${[program, ...args].join(' ')} fails: ${stderr.trim()}`);
}

const confined = testUnless(
  lackOfRun('unshare', '--mount', 'true'),
  lackOfRun('setpriv', `--reuid=${NOBODY}`, '--clear-groups', 'true'),
);
const withSystemd = testUnless(lackOfRun('systemd-analyze', '--version'));

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-confined-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * Starts a program as nobody, without any right, where all but one folder is read-only. The shell makes the mounts in a namespace of
 * its own.
 */
function startConfined(
  state: string,
  args: readonly string[],
  environment = {},
): ChildProcessWithoutNullStreams {
  // The mount of the folder keeps its own mode when the one around it changes.
  const mounts = `
    mount --bind "$0" "$0"
    for target in $(findmnt --list --noheadings --output TARGET); do
      case "$target" in /proc*|/sys*|/dev*|"$0") ;; *) mount -o remount,ro,bind "$target" 2>/dev/null ;; esac
    done
    exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`;
  const command = ['--mount', '--propagation', 'private', 'sh', '-c', mounts, state, ...args];
  const child = spawn('unshare', command, { env: { PATH: process.env.PATH, ...environment } });
  ends.push(() => child.kill('SIGKILL'));
  return child;
}

async function outputUntil(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<string> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  for (let left = 600; !pattern.test(text) && child.exitCode === null && left > 0; left--) await sleep(100);
  expect(text).toMatch(pattern);
  return text;
}

confined('the command runs as nobody on read-only mounts, and its health check succeeds', async () => {
  const folder = newFolder();
  const state = join(folder, 'state');
  mkdirSync(state, { mode: 0o755 });
  execFileSync('chown', [`${NOBODY}:${NOBODY}`, state]);
  const config = join(folder, 'hdrscope.yaml');
  writeFileSync(
    config,
    `sources: [{ type: stdin, metric: { name: job, unit: ms } }]
sinks:
  - { type: interval-log, path: ${state}/all.hlog, interval: 100ms, aligned: false }
  - { type: admin-socket, path: ${state}/hdrscope.asok }
  - { type: interval-log, name: forbidden, path: ${folder}/forbidden.hlog }
  - { type: health, listen: '127.0.0.1:0' }
`,
  );
  const agent = startConfined(state, [process.execPath, BIN, 'run', config]);
  agent.stdin.write('12 7\n');
  const log = await outputUntil(agent, /sink health has started: .*\n/);
  const [, url] = /sink health has started: (.*)\n/.exec(log)!;
  const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8');
  expect(status).toMatch(/^Uid:\s+65534\s+65534\s+65534\s+65534$/m);
  expect(status).toMatch(/^CapEff:\s+0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  expect(await (await fetch(`${url}z`)).text()).toBe('ok\n');
  // The folder around it is read-only, which the sink may find out later than the health answers.
  const askHealth = async (): Promise<string> => (await fetch(url!)).text();
  for (let left = 100; (await askHealth()) === 'ok\n' && left > 0; left--) await sleep(100);
  expect(await askHealth()).toBe('sink forbidden: waiting\n');
  expect(readdirSync(folder).sort()).toEqual(['hdrscope.yaml', 'state']);

  const [, check] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(
    readFileSync(CONTAINERFILE, 'utf8').replaceAll('\\\n', ''),
  )!;
  const [, ...args] = JSON.parse(check!) as string[];
  const health = (address: string): number | null =>
    spawnSync(process.execPath, args, { env: { HDRSCOPE_HEALTH_URL: address } }).status;
  expect(health(`${url}z`)).toBe(0);
  expect(health(url!)).toBe(1);

  agent.kill('SIGTERM');
  await new Promise((resolve) => agent.once('exit', resolve));
  expect(agent.exitCode).toBe(0);
  expect(statSync(join(state, 'all.hlog')).uid).toBe(NOBODY);
  expect(readFileSync(join(state, 'all.hlog'), 'utf8')).toMatch(/^Tag=job,/m);
  expect(health(`${url}z`)).toBe(1);
});

withSystemd('the systemd unit is correct, and exposes little', () => {
  // 10 is the most exposed, and a service without any protection has 9.6.
  const security = ['security', '--offline=true', '--no-pager', '--threshold=15', UNIT];
  for (const args of [['verify', UNIT], security]) {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  }
  const unit = readFileSync(UNIT, 'utf8');
  for (const key of [
    'MemoryMax',
    'TasksMax',
    'LimitNOFILE',
    'ProtectSystem',
    'DynamicUser',
    'NoNewPrivileges',
  ]) {
    expect(unit).toMatch(new RegExp(`^${key}=.`, 'm'));
  }
});

test('the image runs as another user than root, and is checked by its health', () => {
  const lines = readFileSync(CONTAINERFILE, 'utf8').split('\n');
  const users = lines.filter((line) => line.startsWith('USER '));
  expect(users).toEqual([expect.stringMatching(/^USER [1-9]\d*:[1-9]\d*$/)]);
  // Only what the build leaves behind gets into the image, and no install script runs for it.
  expect(lines.filter((line) => line.startsWith('COPY ') && !line.includes('--from=build'))).toEqual([
    'COPY . .',
  ]);
  expect(lines.filter((line) => line.includes('--omit=dev'))).toEqual([
    expect.stringContaining('--ignore-scripts'),
  ]);
  expect(lines.filter((line) => line.startsWith('HEALTHCHECK '))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('ADD '))).toEqual([]);
});
