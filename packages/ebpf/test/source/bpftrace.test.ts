import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BpftraceSource, bpftrace, type Frame } from '../../src/index.ts';
import { KernelIncreases } from '../../src/internal.ts';
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

/** Counts one event at each request to print, and prints at its end, as bpftrace does. */
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

test('passes the script to bpftrace unchanged', async () => {
  const program = programs.write(
    'echo',
    `console.log(JSON.stringify({ type: 'hist', data: { '@h': { [args.join(' ')]: [{ min: 0, max: 0, count: 1 }] } } }));`,
  );
  const [script] = (await source({ script: 'BEGIN { }', program }).read()).histograms;
  expect(script?.attributes).toEqual({ key: '-f json -e BEGIN { }' });
  const [file] = (await source({ file: '/a/b.bt', program }).read()).histograms;
  expect(file?.attributes).toEqual({ key: '-f json /a/b.bt' });
});

test('reads a script once more after its end, reports the end, and starts it again', async () => {
  const program = programs.write('short', `${PRINT} attached(); print(5);`);
  // Without requests to print: Node.js would start its debugger at the signal.
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

test('reports the last messages of a script that failed, and waits before it starts it again', async () => {
  const program = programs.write(
    'failing',
    `console.error("ERROR: couldn't set RLIMIT_MEMLOCK\\nstdin:1:19: ERROR: syntax error"); process.exitCode = 1;`,
  );
  const one = source({ script: 'BEGIN {', program, restartAfterMs: 60_000 });
  const message = 'bpftrace has ended with exit code 1: stdin:1:19: ERROR: syntax error';
  await expect(one.read()).rejects.toMatchObject({ code: 'ERR_KERNEL', message });
  await expect(one.read()).rejects.toThrow(message);
});

test('reports that bpftrace is missing', async () => {
  await expect(source({ script: '', program: '/nowhere/bpftrace' }).read()).rejects.toThrow(
    'cannot run /nowhere/bpftrace: it is not installed, or not in PATH',
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
  expect(performance.now() - startMs).toBeLessThan(30_000);
});

test('waits for the probes for a limited time', async () => {
  // A shell script, because Node.js alone takes as long to start on a busy machine.
  const program = programs.path('slow');
  writeFileSync(program, '#!/bin/sh\necho loading >&2\nexec sleep 60\n', { mode: 0o755 });
  await expect(source({ script: '', program, startTimeoutMs: 1500 }).read()).rejects.toThrow(
    'bpftrace must attach its probes within 1.5 s, and has not: loading: raise startTimeoutMs',
  );
});

test('reads the output of a bpftrace that another program has started', async () => {
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

test('counts every event once while the layout changes', async () => {
  const stream = new PassThrough();
  const one = source({ stream });
  const increases = new KernelIncreases();
  let hasReset = false;
  let counted = 0;
  const print = async (buckets: object[]): Promise<void> => {
    stream.write(`${JSON.stringify({ type: 'hist', data: { '@l': buckets } })}\n`);
    await sleep(5);
    for (const { counts, isReset } of increases.next(await one.read())) {
      counted += counts.reduce((a, b) => a + b, 0);
      hasReset ||= isReset;
    }
  };
  // lhist(n, 0, 100, 1): its buckets fit a hist at first, then a longer lhist, and show the layout with its end.
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
  expect(counted).toBe(19);
  expect(hasReset).toBe(false);
});

test('reports a stream that breaks', async () => {
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
