import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import {
  bpftoolMap,
  type Frame,
  type KernelLayout,
  type KernelMapOptions,
  kernelMap,
  listMaps,
  parseKernelLayout,
  sumCpus,
} from '../../src/index.ts';
import { parseBpftraceLine } from '../../src/source/bpftrace-output.ts';
import { lackOfKernel } from '../support/kernel.ts';

const bpftraceTest = testUnless(lackOfProgram('bpftrace'), await lackOfKernel());

const VALUES = [
  0, 1, 1, 2, 3, 7, 8, 15, 16, 99, 100, 101, 1023, 1024, 65_536, 2_147_483_647, 2_147_483_648, 8_589_934_592,
];
const counted = (variable: string, call: (value: number | string) => string): string =>
  [-5, ...VALUES].map((value) => `${variable} = ${call(value)};`).join(' ');

const SCRIPT = `
// @commented = hist(1);
#define LARGEST 100
BEGIN {
  ${counted('@h', (value) => `hist(${value})`)}
  ${counted('@lh', (value) => `lhist(${value}, 0, LARGEST, 10)`)}
  ${counted('@byname[comm, pid]', (value) => `hist(${value})`)}
  ${counted('@text["a, b"]', (value) => `lhist(${value}, 0, 1000, 50)`)}
  @expression[pid * 2] = hist(5);
  @count[1] = count(); @plain = count(); @sum[comm] = sum(8); @avg[1] = avg(3); @stats[1] = stats(3);
  @min = min(3); @max = max(9); @value[1] = 7;
  @long_name_of_map_1 = hist(1); @long_name_of_map_2 = lhist(1, 0, 10, 1);
  printf("all is counted\\n");
}
interval:s:1000 { @x = 1; /* @in_comment = hist(2); */ }
`;

interface Run {
  /** Id of a map by its name in the kernel. */
  idOf(name: string): number;
  /** Ends bpftrace. @returns the slots that it prints then, by variable and key */
  end(): Promise<ReadonlyMap<string, readonly string[]>>;
}

const started: ChildProcess[] = [];

// A test that fails leaves its bpftrace running.
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts bpftrace, and waits until its BEGIN has run. */
async function start(args: readonly string[], stdin = ''): Promise<Run> {
  const child = spawn('bpftrace', ['-f', 'json', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.end(stdin);
  const deadline = Date.now() + 60_000;
  while (!output.stdout.includes('all is counted')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`bpftrace did not start: ${output.stderr}`);
    }
    await sleep(50);
  }
  const held = new Set(idsHeldBy(child));
  const { maps } = await listMaps();
  const ids = new Map(maps.filter(({ id }) => held.has(id)).map(({ id, name }) => [name, id]));
  return {
    idOf: (name) => ids.get(name)!,
    end: async () => {
      const closed = once(child, 'close');
      // bpftrace 0.17 loses a signal that arrives while it handles events.
      const asking = setInterval(() => child.kill('SIGINT'), 250);
      child.kill('SIGINT');
      await closed;
      clearInterval(asking);
      return printedSlots(output.stdout);
    },
  };
}

function idsHeldBy({ pid }: ChildProcess): readonly number[] {
  return readdirSync(`/proc/${pid}/fdinfo`).flatMap((fd) => {
    try {
      const [, id] = /^map_id:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8')) ?? [];
      return id === undefined ? [] : [Number(id)];
    } catch {
      // It was closed since it was listed.
      return [];
    }
  });
}

async function read(id: number, options: Partial<KernelMapOptions> = {}): Promise<Frame> {
  const source = kernelMap({ id, ...options });
  try {
    return await source.read();
  } finally {
    await source.close();
  }
}

function printedSlots(output: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of output.split('\n')) {
    const parsed = parseBpftraceLine(line);
    if (parsed.kind !== 'histograms') continue;
    for (const { key = '', buckets } of parsed.printed) {
      const used = buckets.filter(({ count }) => count > 0);
      const slots = used.map(({ min, max, count }) => `${min} ${max} ${count}`);
      found.set(`${parsed.variable}[${key}]`, slots);
    }
  }
  return found;
}

/** The used slots of a histogram in the form of `printedSlots`. */
function slotsOf({ histograms }: Frame): readonly (readonly string[])[] {
  return histograms.map((histogram) => {
    const { counts, layout } = sumCpus(histogram);
    const slots = Array.from({ length: layout.slotCount }, (_, slot) => slot).filter(
      (slot) => counts.at(slot) > 0,
    );
    return slots.map((slot) => `${layout.lower(slot)} ${layout.upper(slot)} ${counts.at(slot)}`);
  });
}

bpftraceTest.each([
  ['in its command line', async () => start(['-e', SCRIPT])],
  ['in a file', async () => startFile()],
])('maps of bpftrace with a script %s are read as bpftrace prints them', async (_, begin) => {
  const run = await begin();
  const seen = new Map<string, readonly string[]>();
  const attributes = [];
  const grounds = [];
  for (const [name, variable] of [
    ['AT_h', '@h'],
    ['AT_lh', '@lh'],
    ['AT_byname', '@byname'],
    ['AT_text', '@text'],
    ['AT_expression', '@expression'],
  ] as const) {
    const frame = await read(run.idOf(name));
    seen.set(variable, slotsOf(frame)[0]!);
    attributes.push(Object.keys(frame.histograms[0]!.attributes));
    grounds.push(frame.ground);
  }
  const text = (await read(run.idOf('AT_text'))).histograms[0]!.attributes;
  const printed = await run.end();
  const ofVariable = (variable: string) => [...printed].find(([key]) => key.startsWith(`${variable}[`))?.[1];
  for (const [variable, slots] of seen) expect([variable, slots]).toEqual([variable, ofVariable(variable)]);
  expect(seen.size).toBe(5);
  expect(attributes).toEqual([[], [], ['comm', 'pid'], ['key'], ['key']]);
  expect(text).toEqual({ key: 'a, b' });
  expect(grounds[1]).toBe('the script of bpftrace has @lh = lhist(…, 0, 100, 10)');
});

async function startFile(): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-script-'));
  const file = join(folder, 'a script.bt');
  writeFileSync(file, SCRIPT);
  const run = await start([file]);
  return {
    ...run,
    end: () => {
      rmSync(folder, { recursive: true });
      return run.end();
    },
  };
}

bpftraceTest('other maps of bpftrace are refused, whatever layout is given', async () => {
  const run = await start(['-e', SCRIPT]);
  const refusalOf = (name: string, layout?: KernelLayout) =>
    read(run.idOf(name), layout && { layout }).then(
      () => 'read',
      (error: Error) => error.message,
    );
  const hist = parseKernelLayout('bpftrace-hist');
  for (const [name, call] of [
    ['AT_count', '@count = count()'],
    ['AT_sum', '@sum = sum(…)'],
    ['AT_avg', '@avg = avg(…)'],
    ['AT_stats', '@stats = stats(…)'],
    ['AT_min', '@min = min(…)'],
    ['AT_max', '@max = max(…)'],
  ]) {
    const why = `the script of bpftrace has ${call}, which is no histogram`;
    expect(await refusalOf(name!)).toContain(why);
    expect(await refusalOf(name!, hist)).toContain(why);
  }
  for (const name of ['AT_plain', 'AT_value']) {
    expect(await refusalOf(name, hist)).toContain('holds no hist() and no lhist()');
  }
  // Two variables whose names begin with the same 12 characters.
  const two = 'the script of bpftrace';
  expect(await refusalOf('AT_long_name_of')).toContain(two);
  expect(await refusalOf('AT_long_name_of')).toContain('has 2 assignments to such a map');
  expect(await refusalOf('AT_lh', hist)).toContain('the layout bpftrace-hist cannot be right');
  expect(await refusalOf('AT_lh', parseKernelLayout('bpftrace-lhist:0:100:5'))).toContain('cannot be right');
  const right = parseKernelLayout('bpftrace-lhist:0:100:10');
  expect(await refusalOf('AT_lh', right)).toBe('read');
  if (lackOfProgram('bpftool') === undefined) {
    const byTool = (name: string, layout: KernelLayout) =>
      Promise.resolve(bpftoolMap({ id: run.idOf(name), layout, timeoutMs: 60_000 }).read());
    await expect(byTool('AT_count', hist)).rejects.toThrow('the script of bpftrace has @count = count()');
    await expect(byTool('AT_lh', hist)).rejects.toThrow('the layout bpftrace-hist cannot be right');
    expect(slotsOf(await byTool('AT_lh', right))).toEqual(slotsOf(await read(run.idOf('AT_lh'))));
  }
  await run.end();
});

bpftraceTest('without a readable script, the layout of a map of bpftrace is asked for', async () => {
  const run = await start(['-'], SCRIPT);
  const refusal = await read(run.idOf('AT_lh')).catch((error: Error) => error);
  expect((refusal as Error).message).toContain('bpftrace has read its script from standard input');
  expect((refusal as Error).message).toContain('its numbers fit bpftrace-hist, bpftrace-lhist:MIN:MAX:STEP');
  const linear = await read(run.idOf('AT_lh'), { layout: parseKernelLayout('bpftrace-lhist:0:100:10') });
  const log = await read(run.idOf('AT_byname'), { layout: parseKernelLayout('bpftrace-hist') });
  const printed = await run.end();
  expect(slotsOf(linear)[0]).toEqual(printed.get('@lh[]'));
  expect([slotsOf(log)[0]]).toEqual(
    [...printed].filter(([key]) => key.startsWith('@byname')).map(([, slots]) => slots),
  );
  // Its keys have no types.
  expect(Object.values(log.histograms[0]!.attributes)).toEqual([
    expect.stringMatching(/^62706674726163650{16}/),
  ]);
});
