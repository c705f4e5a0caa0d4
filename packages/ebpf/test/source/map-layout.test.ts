import { parseBtf } from '../../src/bpf/btf.ts';
import type { MapInfo } from '../../src/bpf/maps.ts';
import { statedEvidence, titleOfGuess } from '../../src/source/map-layout.ts';
import { BtfBuilder } from '../support/kernel-btf.ts';

const ARRAY: MapInfo = {
  ...{ type: 'percpu_array', id: 7, keySize: 4, valueSize: 8, maxEntries: 8, name: 'x' },
  ...{ btfId: 0, keyTypeId: 0, valueTypeId: 0 },
};

/** A map whose value is a struct of an array and other fields. */
function structMap(
  struct: string,
  array: { name: string; length: number; element?: string; size?: 4 | 8 },
  { others = [] as readonly string[] } = {},
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
  const keyType = btf.struct(4, [{ name: 'pid', type: btf.int(4), bitOffset: 0 }]);
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

test('the type of the slots of Inspektor Gadget states their layout', () => {
  const element = 'gadget_histogram_slot__u32';
  const { info, types } = structMap('hist_value', { name: 'latency', length: 27, element });
  const { known, guesses, why } = statedEvidence(info, types);
  expect([known?.layout.name, known?.layout.slots.slotCount, guesses, why]).toEqual([
    ...['inspektor-gadget', 27],
    ...[[], ''],
  ]);
  expect(known?.ground).toContain('__u32');
});

test.each([
  ['struct hist, as in libbpf-tools, or with equal steps', structMap('hist', { name: 'slots', length: 20 })],
  [
    'struct info with other fields',
    structMap('info', { name: 'slots', length: 27 }, { others: ['latency', 'cnt'] }),
  ],
  [
    'slots[496] with a sum',
    structMap('latency', { name: 'slots', length: 496, size: 8 }, { others: ['sum'] }),
  ],
] as const)('names in the types of %s do not state the layout', (_, { info, types }) => {
  const { known, guesses, why } = statedEvidence(info, types);
  expect([known, why]).toEqual([undefined, 'nothing states which values its slots hold']);
  expect(guesses.length).toBeGreaterThan(1);
});

test('the layouts that fit a struct of 26 slots are listed, each as options', () => {
  const { info, types } = structMap('latencies', { name: 'slots', length: 26 });
  expect(statedEvidence(info, types).guesses.map(titleOfGuess)).toEqual([
    ...['libbpf-tools:26', 'bcc:26', 'inspektor-gadget:26', 'exporter-exp2:25', 'exporter-linear:25'],
    'exporter-exp2:24 (with sum after-last)',
  ]);
});

test.each([
  ['queue_hist', { maxEntries: 8 }, 'queue-depth'],
  ['QUEUE_HIST', { maxEntries: 8 }, 'queue-depth'],
  ['latency_hist', { maxEntries: 1, valueSize: 497 * 8 }, 'log-linear-8'],
])('the name %s of a map does not state its layout', (name, looks, fitting) => {
  const { known, guesses } = statedEvidence({ ...ARRAY, ...looks, name }, undefined);
  expect(known).toBeUndefined();
  expect(guesses.map(({ layout }) => layout)).toContain(fitting);
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
  const { known, guesses } = statedEvidence({ ...ARRAY, ...looks }, undefined);
  expect(known).toBeUndefined();
  expect(guesses.map(titleOfGuess).slice(0, first.length)).toEqual(first);
});

test('guesses the struct of libbpf-tools with the name of a task', () => {
  const { guesses } = statedEvidence({ ...ARRAY, type: 'hash', valueSize: 26 * 4 + 16 }, undefined);
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
  expect(statedEvidence({ ...ARRAY, ...looks }, undefined)).toEqual({
    known: undefined,
    guesses: [],
    why: 'it does not look like a histogram',
  });
});
