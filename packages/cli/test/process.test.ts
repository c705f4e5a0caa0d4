import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { lack, lackOfBuild, lackOfProgram, testUnless } from '@hdrscope/testing';
import { intervalLine, useFolder } from './support/logs.ts';
import { COMMAND, PROGRAM, runWithCommand, startCommand } from './support/program.ts';

// These tests run the built command. All other tests run the sources.
const testBuilt = testUnless(lackOfBuild('cli'));

const folder = useFolder();
// More text than a pipe holds.
const manyIntervals = (): string => folder.write('many.hlog', intervalLine({ at: 1, ms: [1] }).repeat(5000));

const children: ChildProcess[] = [];
// A test that fails leaves no process.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(...args: string[]): ChildProcess {
  const child = startCommand(args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function exitOf(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

testBuilt('ends quietly when its output is closed', async () => {
  const child = start('log', 'convert', '--format', 'csv', manyIntervals());
  const exit = exitOf(child);
  child.stdout?.once('data', () => child.stdout?.destroy());
  expect(await exit).toEqual({ code: 0, stderr: '' });
});

testBuilt('record ends quietly when its output is closed', async () => {
  const numbers = folder.write('numbers.txt', '1\n2\n3\n');
  // This output is larger than a pipe holds.
  const args = ['record', '--digits', '5', '--format', 'hgrm', numbers];
  const child = start(...args);
  const exit = exitOf(child);
  let stdout = '';
  child.stdout?.once('data', (text) => {
    stdout = String(text);
    child.stdout?.destroy();
  });
  expect(await exit).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ +Value +Percentile/);
});

testBuilt('counts a pipe and a file alike', () => {
  const numbers = folder.write(
    'many.txt',
    Array.from({ length: 100_000 }, (_, at) => `${at / 1000}\n`).join(''),
  );
  const run = (command: string): string => runWithCommand('sh', ['-c', command, numbers, ...COMMAND]).stdout;
  const options = 'record --unit ms --format base64';
  const all = [`"$@" ${options} "$0"`, `cat "$0" | "$@" ${options}`, `"$@" ${options} < "$0"`].map(run);
  expect(all[0]).toMatch(/^HISTF/);
  expect(new Set(all).size).toBe(1);
});

testBuilt.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends tail -f with exit code %d', async (signal, code) => {
  const path = folder.write(`${signal}.hlog`, intervalLine({ at: 1, ms: [1] }));
  const child = start('log', 'tail', '-f', '--poll', '10ms', path);
  const exit = exitOf(child);
  let lines = '';
  for await (const text of child.stdout!) {
    lines += text;
    const count = lines.split('\n').length - 1;
    if (count === 2) appendFileSync(path, intervalLine({ at: 2, ms: [2] }));
    if (count === 3) child.kill(signal);
  }
  expect(await exit).toEqual({ code, stderr: '' });
  expect(lines.split('\n')[2]).toMatch(/^2\.000 .* 2\.001$/);
});

testBuilt('SIGINT ends the waiting for standard input', async () => {
  const child = startCommand(['log', 'tail', '-'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exit = exitOf(child);
  const ended = once(child.stdout!, 'end');
  child.stdin!.write('nonsense\n');
  await once(child.stderr!, 'data');
  child.kill('SIGINT');
  child.stdout!.resume();
  await ended;
  expect((await exit).code).toBe(130);
});

testUnless(lackOfBuild('cli'), lack(undefined, PROGRAM && 'a program has no Node.js that measures it'))(
  'prints its version without loading other modules',
  () => {
    // Processor time, which does not grow when the machine is busy with other processes.
    const meter = `data:text/javascript,${encodeURIComponent(
      "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write(String((user + system) / 1000)); });",
    )}`;
    const run = (args: string[]): { ms: number; stdout: string } => {
      const { stdout, stderr } = spawnSync(process.execPath, ['--import', meter, ...args], {
        encoding: 'utf8',
      });
      return { ms: Number(stderr), stdout };
    };
    expect(run([...COMMAND.slice(1), '--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    // In turns, so that a slow moment of the machine slows both.
    const rounds = Array.from(
      { length: 5 },
      () => [run([...COMMAND.slice(1), '--version']).ms, run(['-e', '0']).ms] as const,
    );
    const fastest = (which: 0 | 1): number => Math.min(...rounds.map((round) => round[which]));
    // Both are a few tens of milliseconds: loading everything would take far longer.
    expect(fastest(1)).toBeGreaterThan(0);
    expect(fastest(0)).toBeLessThan(2 * fastest(1) + 20);
  },
);

testBuilt('exits with 2 for a wrong command line', () => {
  const [program, ...first] = COMMAND;
  expect(runWithCommand(program, [...first, 'lgo']).status).toBe(2);
});

describe('a signal in the middle of work', () => {
  // A compressed text that keeps a command busy for many seconds.
  const busy = (): string => {
    const path = folder.pathOf('busy.txt.gz');
    if (!existsSync(path)) writeFileSync(path, gzipSync(`1\n${'x\n'.repeat(25_000_000)}`));
    return path;
  };

  testBuilt('ends each command within a second', async () => {
    const commands = [
      ['record', busy()],
      ['plot', busy()],
      ['diff', busy(), busy()],
    ];
    const running = commands.map((args) => {
      const child = start(...args);
      return { name: args[0], child, exit: exitOf(child) };
    });
    await sleep(1500);
    // A machine on which a process takes longer to start and end is slower with these, too.
    const startMs = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    const before = performance.now();
    for (const { child } of running) child.kill('SIGTERM');
    for (const { name, exit } of running) {
      const { code } = await exit;
      // On a busy machine the signal may come before the command begins, and on a fast one after it ends.
      expect([name, [null, 1, 143].includes(code)]).toEqual([name, true]);
    }
    expect(performance.now() - before).toBeLessThan(Math.max(3000, 30 * (before - startMs)));
  });

  testBuilt(
    'ends a command that waits for a pipe, and leaves no unfinished file',
    async () => {
      const path = folder.write('kept.txt', 'old');
      const child = startCommand(['log', 'merge', '-', '-o', path], {
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      const exit = exitOf(child);
      // The pipe breaks while it is written to.
      child.stdin!.on('error', () => {});
      child.stdin!.write(intervalLine({ at: 1, ms: [1] }).repeat(2000));
      while (!readdirSync(folder.pathOf('')).some((name) => name.endsWith('.unfinished'))) await sleep(20);
      child.kill('SIGTERM');
      expect((await exit).code).toBe(143);
      expect(readdirSync(folder.pathOf('')).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
      expect(readFileSync(path, 'utf8')).toBe('old');
    },
    20_000,
  );
});

testUnless(lackOfBuild('cli') ?? lackOfProgram('script'))(
  'shows its progress on a terminal of 40 columns, and removes it',
  () => {
    // Standard error is a terminal of util-linux's script; standard input is a pipe that rests for longer than a second.
    const numbers = `yes 1 | head -c 200000; sleep 1.3; yes 2 | head -c 200000`;
    const reading = `(${numbers}) | ${COMMAND.map((word) => `'${word}'`).join(' ')} record - > /dev/null`;
    const { stdout } = runWithCommand('script', ['-qec', `stty cols 40; ${reading}`, '/dev/null']);
    const [before, ...shown] = stdout.split('\r\u001b[K');
    expect([before, shown.at(-1)]).toEqual(['', '']);
    expect(shown[0]).toMatch(/^0\.\d MB, 0\.\d MB\/s$/);
  },
);
