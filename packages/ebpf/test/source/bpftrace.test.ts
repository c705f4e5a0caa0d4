import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { KernelCounting } from '../../src/counting/counting.ts';
import { type BpftraceSource, bpftrace } from '../../src/source/bpftrace.ts';
import type { Frame } from '../../src/source/source.ts';
import { eventually, usePrograms } from '../support/fake-program.ts';

const programs = usePrograms();
const open: BpftraceSource[] = [];

function source(options: Parameters<typeof bpftrace>[0]): BpftraceSource {
  const made = bpftrace({ restartAfterMs: 0, ...options });
  open.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

function total({ histograms }: Frame): number {
  return histograms.flatMap(({ counts }) => [...counts]).reduce((sum, count) => sum + count, 0);
}

const PRINT = `
const attached = () => console.log('{"type": "attached_probes", "data": {"probes": 1}}');
const print = (count) => console.log(JSON.stringify({ type: 'hist', data: { '@h': [{ min: 2, max: 3, count }] } }));
`;

/** Counts one more whenever it is asked to print, and prints at its end, as bpftrace does. */
const OBEDIENT = `${PRINT}
let count = 0;
process.on('SIGUSR1', () => print(++count));
process.on('SIGINT', () => { print(count); process.exit(0); });
setInterval(() => {}, 1000);
attached();
console.error("ERROR: couldn't set RLIMIT_MEMLOCK for bpftrace.");
`;

test('asks a script to print, and ends it', async () => {
  const program = programs.write('obedient', OBEDIENT);
  const one = source({ script: 'kprobe:x { @h = hist(1); }', program, printEveryMs: 250 });
  const frame = await eventually(
    () => one.read(),
    (read) => total(read) >= 3,
  );
  expect(frame).toMatchObject({ generation: '1.0', cpuCount: 1, counterBits: 64 });
  expect(frame.histograms).toMatchObject([{ name: '@h', attributes: {}, sums: undefined }]);
  await one.close();
  await expect(one.read()).rejects.toThrow('the script of bpftrace is closed');
});

test('hands the script over as it is', async () => {
  const program = programs.write(
    'echo',
    `console.log(JSON.stringify({ type: 'hist', data: { '@h': { [args.join(' ')]: [{ min: 0, max: 0, count: 1 }] } } }));`,
  );
  const [script] = (await source({ script: 'BEGIN { }', program }).read()).histograms;
  expect(script?.attributes).toEqual({ key: '-f json -e BEGIN { }' });
  const [file] = (await source({ file: '/a/b.bt', program }).read()).histograms;
  expect(file?.attributes).toEqual({ key: '-f json /a/b.bt' });
});

test('reads once more what a script that ended has printed, tells its end, and starts it again', async () => {
  const program = programs.write('short', `${PRINT} attached(); print(5);`);
  // Node.js would take the signal for a wish to be debugged.
  const one = source({ script: '', program, printEveryMs: 0 });
  await eventually(
    () => one.read(),
    (frame) => total(frame) > 0,
  ).then((frame) => {
    expect([frame.generation, total(frame)]).toEqual(['1.0', 5]);
  });
  await expect(
    eventually(
      () => one.read(),
      () => false,
    ),
  ).rejects.toThrow('bpftrace has ended with exit code 0');
  const again = await eventually(
    () => one.read(),
    (frame) => total(frame) > 0,
  );
  expect([again.generation, total(again)]).toEqual(['2.0', 5]);
});

test('tells the last words of a script that failed, and waits before it is started again', async () => {
  const program = programs.write(
    'failing',
    `console.error("ERROR: couldn't set RLIMIT_MEMLOCK\\nstdin:1:19: ERROR: syntax error"); process.exitCode = 1;`,
  );
  const one = source({ script: 'BEGIN {', program, restartAfterMs: 60_000 });
  const words = 'bpftrace has ended with exit code 1: stdin:1:19: ERROR: syntax error';
  await expect(one.read()).rejects.toMatchObject({ code: 'ERR_KERNEL', message: words });
  await expect(one.read()).rejects.toThrow(words);
});

test('says that bpftrace is missing', async () => {
  await expect(source({ script: '', program: '/nowhere/bpftrace' }).read()).rejects.toThrow(
    'cannot run /nowhere/bpftrace: there is no such program: install it',
  );
});

test('kills a script that does not end', async () => {
  const program = programs.write(
    'deaf',
    `process.on('SIGINT', () => {}); setInterval(() => {}, 1000); ${PRINT} attached();`,
  );
  const one = source({ script: '', program, printEveryMs: 0 });
  await one.read();
  const startMs = performance.now();
  await one.close();
  expect(performance.now() - startMs).toBeLessThan(4000);
});

test('waits for the probes to be attached, but not for ever', async () => {
  // No JavaScript: on a busy machine that alone takes as long to start.
  const program = programs.path('slow');
  writeFileSync(program, '#!/bin/sh\necho loading >&2\nexec sleep 60\n', { mode: 0o755 });
  await expect(source({ script: '', program, startTimeoutMs: 1500 }).read()).rejects.toThrow(
    'bpftrace has attached no probe within 1.5 s: loading: give it longer with startTimeoutMs',
  );
});

test('reads what somebody else has started', async () => {
  const stream = new PassThrough();
  const one = source({ stream, keys: { '@by': ['comm', 'cpu'] } });
  stream.write('{"type": "hist", "data": {"@by": {"a,b,1": [{"min": 4, "max": 7, "count": 1}]');
  stream.write('}}}\r\n\n{"type": "lost_events", "data": {"events": 4}}\n');
  const frame = await one.read();
  expect(frame.histograms).toMatchObject([{ name: '@by', attributes: { comm: 'a,b', cpu: '1' } }]);
  expect(one.lostEvents).toBe(4);
  stream.write('Attaching 1 probe...\n');
  await expect(
    eventually(
      () => one.read(),
      () => false,
    ),
  ).rejects.toThrow('run it with -f json');
  expect(total(await one.read())).toBe(1);
  stream.end();
  await expect(
    eventually(
      () => one.read(),
      () => false,
    ),
  ).rejects.toThrow('the output of bpftrace has ended');
  await expect(one.read()).rejects.toThrow('the output of bpftrace has ended');
});

test('every event is counted once, whatever is learnt of the slots meanwhile', async () => {
  const stream = new PassThrough();
  const one = source({ stream });
  const counting = new KernelCounting();
  let told = 0;
  const print = async (buckets: object[]): Promise<void> => {
    stream.write(`${JSON.stringify({ type: 'hist', data: { '@l': buckets } })}\n`);
    await sleep(5);
    counting.advance(await one.read(), ({ counts }) => {
      told += counts.reduce((a, b) => a + b, 0);
    });
  };
  // lhist(n, 0, 100, 1): it might be a hist, then an lhist that goes on, and is known when its end is printed.
  await print([{ min: 1, max: 1, count: 3 }]);
  await print([
    { min: 1, max: 1, count: 4 },
    { min: 70, max: 70, count: 2 },
  ]);
  await print([
    { min: 1, max: 1, count: 4 },
    { min: 70, max: 70, count: 3 },
    { min: 100, count: 10 },
  ]);
  await print([
    { max: -1, count: 1 },
    { min: 1, max: 1, count: 4 },
    { min: 70, max: 70, count: 3 },
    { min: 100, count: 11 },
  ]);
  expect(told).toBe(19);
  expect(counting.health).toMatchObject({ resets: 0, evicted: 0 });
});

test('a stream that breaks', async () => {
  const stream = new PassThrough();
  const one = source({ stream });
  const reading = one.read();
  stream.destroy(new Error('gone'));
  await expect(reading).rejects.toThrow('the output of bpftrace cannot be read: gone');
  await expect(source({ stream }).read()).rejects.toThrow('the output of bpftrace has ended');
});

test.each([
  [{}, 'options must be exactly one of script, file and stream, got an object'],
  [{ script: '', file: '' }, 'exactly one of script, file and stream'],
  [{ script: '', printEveryMs: -1 }, 'printEveryMs must be 0, or milliseconds from 250 to 2^31 - 1, got -1'],
  [{ script: '', startTimeoutMs: 2 ** 31 }, 'startTimeoutMs must be'],
])('refuses %j', (options, message) => {
  expect(() => bpftrace(options)).toThrow(message);
});
