import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '@hdrscope/registry';
import { buildPackages, lack, lackOfProgram, testUnless } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { openIntervalLog, readEntries } from '../../src/index.ts';
import { intervalsOf } from '../support/read.ts';
import { newDirectory } from '../support/sandbox.ts';
import { totalsIn } from './support/logs.ts';
import { until } from './support/surroundings.ts';

const scripts = newDirectory();
beforeAll(() => {
  buildPackages(scripts, ['interval-log']);
  writeFileSync(join(scripts, 'writer.mjs'), WRITER);
});

// Writes as often as it can, and reports what it has written. Its argument is JSON.
const WRITER = `
import { openIntervalLog } from '@hdrscope/interval-log';
import { createRegistry } from '@hdrscope/registry';
const { isQuiet, paths, ...options } = JSON.parse(process.argv[2]);
const registry = createRegistry();
const [sink] = await Promise.all(paths.map((path) => openIntervalLog(registry, {
  ...options,
  path,
  onError: (error) => console.log('error ' + error.cause?.code),
  onRecovery: () => console.log('recovered'),
})));
const families = ['one', 'two', 'three'].map((name) => registry.histogram({ name, unit: 's' }));
let recorded = 0;
const record = () => {
  for (let n = 0; n < 20; n++) {
    for (const family of families) family.with({ n: n % 4 }).record(Math.random());
    recorded++;
  }
};
console.log('open');
process.on('message', async (message) => {
  if (message === 'record') record();
  if (message === 'flush') await sink.flush();
  if (message === 'close') { await sink.close(); process.disconnect(); }
  process.connected && process.send({ recorded, health: { ...sink.health, lastError: undefined } });
});
if (!isQuiet) setInterval(record, 1);
`;

function start(options: object, args: readonly string[] = []): { child: ChildProcess; said: string[] } {
  const child = spawn(process.execPath, [...args, join(scripts, 'writer.mjs'), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => said.push(...text.split('\n').filter(Boolean)));
  }
  return { child, said };
}

async function ask(
  child: ChildProcess,
  message: string,
): Promise<{ recorded: number; health: { failures: number } }> {
  const answer = once(child, 'message');
  child.send(message);
  return (await answer)[0];
}

test('a process killed at any moment leaves a log that is whole up to its last line and can be continued', async () => {
  const directory = newDirectory();
  // Each sink is at another point of its work when the process dies.
  const paths = Array.from({ length: 6 }, (_, n) => join(directory, `${n}.hlog`));
  const wholeBefore = new Map<string, string>();
  const most = caseCount(3, 5);
  for (let kills = 0; kills < most; kills++) {
    const before = paths.map((path) => wholeBefore.get(path)?.length ?? 0);
    const { child } = start({ paths, intervalMs: 2 });
    await until(() => paths.every((path, n) => existsSync(path) && statSync(path).size > before[n]!));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (const path of paths) {
      const text = readFileSync(path, 'utf8');
      // Lines that were whole stay.
      expect(text.startsWith(wholeBefore.get(path) ?? '')).toBe(true);
      wholeBefore.set(path, text.slice(0, text.lastIndexOf('\n') + 1));
    }
  }
  let intervalCount = 0;
  for (const path of paths) {
    const sink = await openIntervalLog(createRegistry(), { path });
    await sink.close();
    expect(readFileSync(path, 'utf8')).toBe(wholeBefore.get(path));
    let lastEndSec = 0;
    for (const interval of await intervalsOf(path)) {
      expect(interval.histogram().totalCount).toBeGreaterThan(0);
      expect(interval.endSec).toBeGreaterThanOrEqual(lastEndSec - 1e-6);
      lastEndSec = interval.endSec;
      intervalCount++;
    }
  }
  expect(intervalCount).toBeGreaterThanOrEqual(most * 6);
});

test('a sink does not keep a process alive', async () => {
  const path = join(newDirectory(), 'app.hlog');
  const script = join(scripts, 'idle.mjs');
  writeFileSync(
    script,
    `import { openIntervalLog } from '@hdrscope/interval-log';
     import { createRegistry } from '@hdrscope/registry';
     await openIntervalLog(createRegistry(), { path: ${JSON.stringify(path)}, rotation: { onSignal: 'SIGHUP' } });`,
  );
  execFileSync(process.execPath, [script], { timeout: 90_000 });
  // The ended process has left no lock.
  await (await openIntervalLog(createRegistry(), { path })).close();
});

test('SIGHUP rotates the log of a process, which goes on', async () => {
  const directory = newDirectory();
  const path = join(directory, 'app.hlog');
  const { child, said } = start({
    paths: [path],
    isQuiet: true,
    intervalMs: 5,
    rotation: { onSignal: 'SIGHUP', gzip: true },
  });
  await until(() => said.includes('open'));
  await ask(child, 'record');
  await ask(child, 'flush');
  child.kill('SIGHUP');
  await until(() => readdirSync(directory).some((name) => name.endsWith('Z.hlog.gz')));
  const { recorded } = await ask(child, 'record');
  child.send('close');
  await once(child, 'exit');
  const totals = await totalsIn(directory);
  expect([...totals.values()].reduce((sum, total) => sum + total.totalCount, 0)).toBe(3 * recorded);
  expect(statSync(path).size).toBeGreaterThan(0);
});

describe('a disk that is really full', () => {
  const mountPoint = join(newDirectory(), 'small');
  mkdirSync(mountPoint);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', mountPoint]);
  const isMounted = status === 0;
  afterAll(() => {
    if (isMounted) execFileSync('umount', [mountPoint]);
  });

  testUnless(lack('mount', isMounted ? undefined : 'this process may not mount a small file system'))(
    'costs no count: the first interval that fits again has every count',
    async () => {
      const path = join(mountPoint, 'app.hlog');
      const { child, said } = start({ paths: [path], isQuiet: true, intervalMs: 100_000, fsync: 'interval' });
      await until(() => said.includes('open'));
      await ask(child, 'record');
      await ask(child, 'flush');
      const written = readFileSync(path);
      // All but a few hundred bytes of a page are taken.
      const filler = join(mountPoint, 'filler');
      let pages = 0;
      try {
        for (; ; pages++) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' });
      } catch {
        // Full.
      }
      expect(pages).toBeGreaterThan(5);
      for (let n = 0; n < 4; n++) {
        await ask(child, 'record');
        await ask(child, 'flush');
        expect(readFileSync(path).subarray(0, written.length).equals(written)).toBe(true);
        // A failed write leaves no bytes.
        for await (const entry of readEntries(path)) expect(entry.kind).not.toBe('malformed');
      }
      writeFileSync(filler, '');
      const { recorded } = await ask(child, 'record');
      await ask(child, 'flush');
      child.send('close');
      await once(child, 'exit');
      expect(said).toEqual(['open', 'error ENOSPC', 'recovered']);
      const totals = await totalsIn(mountPoint);
      expect([...totals.values()].reduce((sum, total) => sum + total.totalCount, 0)).toBe(3 * recorded);
    },
  );
});

testUnless(lackOfProgram('prlimit'))('a limit on the size of files is a failure like any other', async () => {
  const directory = newDirectory();
  const path = join(directory, 'app.hlog');
  const { child, said } = start({ paths: [path], isQuiet: true, intervalMs: 100_000 });
  await until(() => said.includes('open'));
  await ask(child, 'record');
  await ask(child, 'flush');
  const { size } = statSync(path);
  execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${size + 700}:`]);
  for (let n = 0; n < 3; n++) {
    await ask(child, 'record');
    await ask(child, 'flush');
    expect(statSync(path).size).toBe(size);
  }
  execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
  const { recorded } = await ask(child, 'record');
  child.send('close');
  await once(child, 'exit');
  expect(said).toEqual(['open', 'error EFBIG', 'recovered']);
  const totals = await totalsIn(directory);
  expect([...totals.values()].reduce((sum, total) => sum + total.totalCount, 0)).toBe(3 * recorded);
});
