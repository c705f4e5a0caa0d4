import { parseBtf } from '../../src/bpf/btf.ts';
import type { MapInfo } from '../../src/bpf/maps.ts';
import { evidenceOf, titleOfGuess } from '../../src/source/map-layout.ts';
import { BtfBuilder } from '../support/kernel-btf.ts';

const ARRAY: MapInfo = {
  ...{ type: 'percpu_array', id: 7, keySize: 4, valueSize: 8, maxEntries: 8, name: 'x' },
  ...{ btfId: 0, keyTypeId: 0, valueTypeId: 0 },
};

/** A map whose value is a struct of an array and other fields. */
function structMap(
  struct: string,
  array: { name: string; length: number; element?: string; size?: 4 | 8 },
  { key = '', others = [] as readonly string[] } = {},
) {
  const btf = new BtfBuilder();
  const { name, length, element, size = 4 } = array;
  const integer = btf.int(size);
  const u64 = btf.int(8);
  const slots = btf.array(element === undefined ? integer : btf.typedef(element, integer), length);
  const members = [
    ...others.map((other, i) => ({ name: other, type: u64, bitOffset: 64 * i })),
    { name, type: slots, bitOffset: 64 * others.length },
  ];
  const valueSize = 8 * others.length + size * length;
  const value = btf.struct(valueSize, members, struct);
  const keyType = btf.struct(4, [{ name: 'pid', type: btf.int(4), bitOffset: 0 }], key);
  const info: MapInfo = {
    ...ARRAY,
    type: 'hash',
    valueSize,
    btfId: 1,
    keyTypeId: keyType,
    valueTypeId: value,
  };
  return { info, types: parseBtf(btf.build()) };
}

test.each([
  ['struct hist of libbpf-tools', structMap('hist', { name: 'slots', length: 26 }), 'libbpf-tools', 26],
  [
    'struct hist of tcprtt, with other fields',
    structMap('hist', { name: 'slots', length: 27 }, { others: ['latency', 'cnt'] }),
    'libbpf-tools',
    27,
  ],
  [
    'slots of Inspektor Gadget',
    structMap('hist_value', { name: 'latency', length: 27, element: 'gadget_histogram_slot__u32' }),
    'inspektor-gadget',
    27,
  ],
  [
    'slots of this package',
    structMap('latency', { name: 'slots', length: 496, size: 8 }, { others: ['sum'] }),
    'log-linear-8',
    496,
  ],
] as const)('the names of types show the layout of %s', (_, { info, types }, name, slots) => {
  const { known, guesses, why } = evidenceOf(info, types);
  expect([known?.layout.name, known?.layout.slots.slotCount, guesses, why]).toEqual([name, slots, [], '']);
  expect(known?.ground).toContain(String(slots === 27 && name === 'inspektor-gadget' ? '__u32' : slots));
});

test('the name of a map shows the layout of the run-queue program', () => {
  for (const name of ['queue_hist', 'QUEUE_HIST']) {
    expect(evidenceOf({ ...ARRAY, name }, undefined).known?.layout.name).toBe('queue-depth');
  }
  const latency = { ...ARRAY, name: 'latency_hist', maxEntries: 1, valueSize: 497 * 8 };
  expect(evidenceOf(latency, undefined).known).toMatchObject({
    layout: { name: 'log-linear-8' },
    shape: { sum: 'after-last' },
  });
  // Another map with that name.
  expect(evidenceOf({ ...ARRAY, name: 'queue_hist', maxEntries: 9 }, undefined).known).toBeUndefined();
});

test.each([
  [
    'cpufreq, whose slots are steps of 200 MHz',
    structMap('hist', { name: 'slots', length: 26 }, { key: 'hkey' }),
  ],
  ['a struct with another name', structMap('latencies', { name: 'slots', length: 26 })],
])('types of %s do not show the layout', (_, { info, types }) => {
  const { known, guesses, why } = evidenceOf(info, types);
  expect([known, why]).toEqual([
    undefined,
    'neither its types nor its name show which values its slots hold',
  ]);
  expect(guesses.map(titleOfGuess)).toEqual([
    ...['libbpf-tools:26', 'bcc:26', 'inspektor-gadget:26', 'exporter-exp2:25', 'exporter-linear:25'],
    'exporter-exp2:24 (with sum after-last)',
  ]);
});

test.each([
  ['eight counters', {}, ['queue-depth', 'libbpf-tools:8', 'bcc:8']],
  ['BPF_HISTOGRAM of bcc', { type: 'array', maxEntries: 64, name: 'dist' }, ['libbpf-tools:64', 'bcc:64']],
  ['log-linear slots', { maxEntries: 496 }, ['log-linear-8', 'exporter-linear:495']],
  ['a hash by its name', { type: 'hash', name: 'latency_hist' }, ['queue-depth', 'bcc']],
  [
    'struct hist of libbpf-tools without types',
    { type: 'hash', valueSize: 26 * 4 + 16 },
    ["libbpf-tools:30 (with shape 'value { u32 slots[30]; }')"],
  ],
] as const)('guesses layouts of %s by its sizes', (_, looks, first) => {
  const { known, guesses } = evidenceOf({ ...ARRAY, ...looks }, undefined);
  expect(known).toBeUndefined();
  expect(guesses.map(titleOfGuess).slice(0, first.length)).toEqual(first);
});

test('guesses the struct of libbpf-tools with the name of a task', () => {
  const { guesses } = evidenceOf({ ...ARRAY, type: 'hash', valueSize: 26 * 4 + 16 }, undefined);
  expect(guesses.map(titleOfGuess)).toContain(
    "libbpf-tools:26 (with shape 'value { u32 slots[26]; char comm[16]; }')",
  );
});

test.each([
  ['another type', { type: undefined }],
  ['another number of slots', { maxEntries: 9 }],
  ['a hash of numbers', { type: 'hash' }],
  ['values of another size', { valueSize: 12 }],
] as const)('%s does not look like a histogram', (_, looks) => {
  expect(evidenceOf({ ...ARRAY, ...looks }, undefined)).toEqual({
    known: undefined,
    guesses: [],
    why: 'it does not look like a histogram',
  });
});
