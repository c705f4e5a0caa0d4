import { atOnce } from '@hdrscope/kit';
import { describeCode } from '../../src/bytecode/describe-code.ts';
import type { MapFacts } from '../../src/bytecode/run.ts';
import { assemble, COUNTERS, codeOf } from '../support/instructions.ts';

/** A program that uses two maps, the first of which it counts in. */
function describeProgram({
  ids = [7, 8],
  bound = 9,
  target = ids[0],
  facts = {},
}: {
  readonly ids?: readonly [number, number];
  readonly bound?: number;
  readonly target?: number;
  readonly facts?: Partial<MapFacts>;
} = {}) {
  const program = assemble([
    ['map', 1, ids[0]],
    ['map', 2, ids[1]],
    ['jump<=', 6, bound, 1],
    ['map', 3, ids[0]],
    ['exit'],
  ]);
  const code = {
    ...codeOf(program),
    mapFacts: (id: number): MapFacts => ({ ...COUNTERS, id, ...(id === ids[1] && facts) }),
  };
  return atOnce(describeCode(code, ({ id }) => id === target));
}

test('programs that differ in the numbers of their maps are alike', () => {
  expect(describeProgram({ ids: [41, 12] })).toBe(describeProgram());
});

test.each([
  ['an instruction', { bound: 10 }],
  ['the map that is measured', { target: 8 }],
  ['how often a map is used', { ids: [7, 7] as [number, number] }],
  ['the type of a map', { facts: { kind: 'hash' as const } }],
  ['the size of a map', { facts: { valueSize: 16 } }],
  ['the constants in a map', { facts: { constants: new Uint8Array([1, 0]) } }],
  ['what a map holds', { facts: { holdsMaps: true } }],
])('programs that differ in %s are not alike', (_, other) => {
  expect(describeProgram(other)).not.toBe(describeProgram());
});

test('constants of other bytes are not alike', () => {
  const describe = (...bytes: number[]) => describeProgram({ facts: { constants: new Uint8Array(bytes) } });
  expect(describe(1, 23)).not.toBe(describe(12, 3));
});
