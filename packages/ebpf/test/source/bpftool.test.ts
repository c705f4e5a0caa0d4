import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bpftoolMap, explicitKernelLayout, libbpfToolsLayout, queueDepthLayout } from '../../src/index.ts';
import type { BpftoolMapOptions } from '../../src/source/bpftool.ts';
import { usePrograms } from '../support/fake-program.ts';

const programs = usePrograms();

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/bpftool/${name}.v7.1.json`, import.meta.url));
}

/** A bpftool that prints what was recorded. */
function recorded(name: string, options: Omit<BpftoolMapOptions, 'program'>): ReturnType<typeof bpftoolMap> {
  const texts = { show: fixture(`${name}.show`), dump: fixture(`${name}.dump`) };
  const source = `process.stdout.write(process.getBuiltinModule('node:fs').readFileSync(${JSON.stringify(texts)}[args[2]]));`;
  return bpftoolMap({ ...options, program: programs.write(`bpftool-${name}`, source) });
}

function failing(source: string, options: Partial<BpftoolMapOptions> = {}): ReturnType<typeof bpftoolMap> {
  const program = programs.write(`bpftool-${Math.abs(source.length)}-${source.charCodeAt(25)}`, source);
  return bpftoolMap({ path: '/sys/fs/bpf/a', layout: queueDepthLayout(), program, ...options });
}

test('reads an array of slots for each CPU, beyond the integers of JSON', async () => {
  const frame = await recorded('percpu-array', { name: 'queue_hist', layout: queueDepthLayout() }).read();
  const { id } = JSON.parse(readFileSync(fixture('percpu-array.show'), 'utf8'));
  expect(frame).toMatchObject({ generation: `map ${id}`, cpuCount: 2, counterBits: 64 });
  expect(frame.histograms).toMatchObject([{ name: 'queue_hist', attributes: {}, sums: undefined }]);
  expect([...frame.histograms[0]!.counts]).toEqual([
    ...[1200, 980, 1400, 800, 400, 30, 10, 1],
    ...Array.from({ length: 8 }, (_, slot) => 2 ** 53 - 1 - slot),
  ]);
});

test('reads a hash whose key has a text and the slot', async () => {
  const frame = await recorded('percpu-hash', {
    id: 1,
    layout: explicitKernelLayout([0, 1, 2]),
    histogram: 'latency',
    shape: {
      key: [
        { name: 'comm', type: 'char[16]', offset: 0 },
        { name: 'slot', type: 'u32', offset: 16 },
      ],
    },
  }).read();
  expect(frame).toMatchObject({ cpuCount: 2, counterBits: 32 });
  const found = frame.histograms.map(({ name, attributes, counts }) => [name, attributes.comm, [...counts]]);
  expect(found.sort()).toEqual([
    ['latency', 'a,b', [0, 2 ** 32 - 1, 0, 0, 0, 0, 0, 0]],
    ['latency', 'osd', [1, 0, 0, 3, 2, 0, 0, 4]],
  ]);
});

test('reads all slots in one value', async () => {
  const frame = await recorded('value-of-slots', { id: 1, layout: libbpfToolsLayout() }).read();
  expect(frame).toMatchObject({ cpuCount: 1, counterBits: 32 });
  expect(frame.histograms).toMatchObject([{ name: 'hists', attributes: { key: 7 } }]);
  expect([...frame.histograms[0]!.counts]).toEqual(Array.from({ length: 26 }, (_, slot) => slot * 10));
});

test('reads a map without entries', async () => {
  const { histograms } = await recorded('empty-hash', { id: 1, layout: queueDepthLayout() }).read();
  expect(histograms.map(({ counts }) => [...counts])).toEqual([new Array(8).fill(0)]);
});

const FAILS = 'process.exitCode = 255; console.log';

test.each([
  [
    `${FAILS}('{"error":"bpf obj get (/sys/fs/bpf/a): No such file or directory"}')`,
    'map show pinned /sys/fs/bpf/a` failed: bpf obj get (/sys/fs/bpf/a): No such file or directory; is the program loaded?',
  ],
  [
    `${FAILS}('{"error":"bpf obj get (/sys/fs/bpf): Permission denied"}')`,
    'Permission denied; bpftool takes root; kernelMap reads a pin of mode 0444 without it',
  ],
  [`${FAILS}('')`, 'it does not find the map: is the program loaded?'],
  [`console.log('[{"id":7},{"id":9}]')`, '2 maps are called "/sys/fs/bpf/a": choose one by its id (7, 9)'],
  ['console.log("usage:")', 'the output of bpftool cannot be parsed: "usage:\\n"'],
  ['console.log(`{"id":"x"}`)', 'the output of bpftool cannot be parsed: "x"'],
])('reports the failure of %s', async (source, message) => {
  await expect(failing(source).read()).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringContaining(message),
  });
});

test('reports a bpftool that never ends, one that is missing, and a closed source', async () => {
  await expect(failing('setInterval(() => {}, 1000);', { timeoutMs: 300 }).read()).rejects.toThrow(
    'must end within 300 ms, and did not: raise timeoutMs',
  );
  await expect(failing('', { program: '/nowhere/bpftool' }).read()).rejects.toThrow(
    'cannot run /nowhere/bpftool: it is not installed, or not in PATH',
  );
  const closed = failing('');
  await closed.close();
  await expect(closed.read()).rejects.toThrow('is closed');
});

test('leaves out entries that were deleted meanwhile, and reports other failures', async () => {
  const show = '{"id":3,"type":"hash","name":"h","bytes_key":4,"bytes_value":8,"max_entries":8}';
  const dump = (error: string): string =>
    `[{"key":["0x01","0x00","0x00","0x00"],"value":{"error":"${error}"}}]`;
  const answers = (error: string): string => `console.log(args[2] === 'show' ? '${show}' : '${dump(error)}')`;
  const { histograms } = await failing(answers('No such file or directory')).read();
  expect(histograms.map(({ counts }) => [...counts])).toEqual([new Array(8).fill(0)]);
  await expect(failing(answers('Unknown error 524')).read()).rejects.toThrow(
    'cannot read a value: Unknown error 524',
  );
});

test.each([
  [{}, 'a map must be named by one of path, id and name'],
  [{ path: 'a', id: 1 }, 'a map must be named by one of path, id and name'],
  [{ id: 0 }, 'id must be an integer of at least 1, got 0'],
  [{ id: 1, timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds from 1 to 2^31 - 1, got 0'],
])('refuses %j', (options, message) => {
  expect(() => bpftoolMap({ layout: queueDepthLayout(), ...options })).toThrow(message);
});
