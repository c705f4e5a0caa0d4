import { atOnce } from '@hdrscope/kit';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { countingProgram } from '../../src/bpf/counting-program.ts';
import { matchLayout } from '../../src/bytecode/match-layout.ts';
import { NotMeasured } from '../../src/bytecode/not-measured.ts';
import { measureSlots } from '../../src/bytecode/slot-steps.ts';
import { explicitKernelLayout, type KernelLayout, parseKernelLayout } from '../../src/index.ts';
import { assemble, COUNT_R7, COUNTERS, codeOf } from '../support/instructions.ts';
import { measure, measuredLayout, SLOT_OF_R6, TARGET, VALUES } from '../support/measured.ts';

function shapeOf({ slots, firstIndex, keys }: KernelLayout) {
  return { bounds: slots.bounds, lowest: slots.lower(0), firstIndex, keys };
}

const NAMED = [
  ...['queue-depth', 'log-linear-8:496', 'log-linear-8:40', 'bcc:65', 'bcc:27'],
  ...['libbpf-tools:64', 'libbpf-tools:27', 'inspektor-gadget:65', 'inspektor-gadget:27'],
  ...['exporter-exp2:26', 'exporter-exp2zero:27', 'exporter-linear:20'],
  // A signed integer of 64 bits ends below 2^63.
  ...['bpftrace-hist:0:65', 'bpftrace-hist:0:34', 'bpftrace-hist:2:249', 'bpftrace-lhist:0:100:10'],
  'bpftrace-lhist:-30:40:7',
];

test.each(NAMED)('a program that counts as %s is measured to do so', (text) => {
  const layout = parseKernelLayout(text);
  const measured = measuredLayout(countingProgram({ mapFd: 7, layout }));
  expect([measured.text, measured.divisor]).toEqual([text, 1n]);
  expect(shapeOf(measured.layout)).toEqual(shapeOf(layout));
});

test('the layout of every program that compares with bounds is measured exactly, with its sum', () => {
  const bounds = fc.uniqueArray(fc.oneof(fc.nat(50), fc.maxSafeNat()), { minLength: 1, maxLength: 20 });
  const property = fc.property(bounds, fc.nat(3), fc.boolean(), (integers, firstIndex, hasSum) => {
    const layout = explicitKernelLayout(
      [...integers].sort((a, b) => a - b),
      { firstIndex },
    );
    const sumIndex = firstIndex + layout.slots.slotCount;
    const program = countingProgram({ mapFd: 7, layout, ...(hasSum && { sumIndex }) });
    const measured = measure(program)!;
    const values = [0, ...integers.flatMap((bound) => [bound, bound + 1]), 2 ** 60];
    const numbersIn = ({ slots, firstIndex: first }: KernelLayout) =>
      values.map((value) => first + slots.slotOf(value));
    // A named layout may have slots for values below 0 as well, which no unsigned value reaches.
    expect(numbersIn(atOnce(matchLayout(measured)).layout)).toEqual(numbersIn(layout));
    expect(measured.sum).toEqual(hasSum ? { slot: BigInt(sumIndex), unit: 1n } : undefined);
  });
  fc.assert(property, { numRuns: 60 });
});

test('a value that is divided before it is counted by powers of two is measured with its divisor', () => {
  // r7 = log2(value / 1000), at most 3
  const program = assemble([
    ['load64', 6, 1, 0],
    ['/=', 6, 1000],
    ['=', 7, 0],
    ['jump<=', 6, 1, 5],
    ['=', 7, 1],
    ['jump<=', 6, 3, 3],
    ['=', 7, 2],
    ['jump<=', 6, 7, 1],
    ['=', 7, 3],
    ...COUNT_R7,
  ]);
  const { text, divisor } = measuredLayout(program);
  expect([text, divisor]).toEqual(['libbpf-tools:4', 1000n]);
});

test('the sum of values that were divided is found, with what they were divided by', () => {
  const program = assemble([
    ['load64', 6, 1, 0],
    ['/=', 6, 1000],
    ...SLOT_OF_R6,
    ...COUNT_R7.slice(0, 8),
    ['=', 7, 2],
    ...COUNT_R7.slice(0, 5),
    ['jump==', 0, 0, 1],
    ['add64', 0, 6],
    ['=', 0, 0],
    ['exit'],
  ]);
  expect(measure(program)?.sum).toEqual({ slot: 2n, unit: 1000n });
});

test.each([
  [4, false],
  [8, true],
])('of %d bytes that a call writes to the stack, four are the value', (size, isCut) => {
  const program = assemble([
    ['=r', 1, 10],
    ['+=', 1, -16],
    ['=', 2, size],
    ['call', 'time'],
    ['load32', 6, 10, -16],
    ...SLOT_OF_R6,
    ...COUNT_R7,
  ]);
  const measured = measure(program)!;
  expect([atOnce(matchLayout(measured)).layout.slots.bounds, measured.isCut]).toEqual([[9], isCut]);
});

// Adds to the number in a value of 32 bytes that is `r7` after its begin.
const COUNT_AT_R7 = [
  ['=r', 2, 10],
  ['+=', 2, -8],
  ['map', 1, 7],
  ['call', 'lookup'],
  ['jump==', 0, 0, 4],
  ['=', 1, 1],
  ['add64', 0, 1],
  ['+=r', 0, 7],
  ['add64', 0, 1],
  ['=', 0, 0],
  ['exit'],
] as const;

test('a key that is filled by one store or by two is one label', () => {
  const program = assemble([
    ...VALUES,
    ['store64', 10, 8, -8],
    ['jump==', 9, 0, 2],
    ['store32', 10, 8, -8],
    ['store32', 10, 9, -4],
    ['=', 7, 8],
    ['jump<=', 6, 9, 1],
    ['=', 7, 16],
    ...COUNT_AT_R7,
  ]);
  const map = { ...COUNTERS, kind: 'hash' as const, keySize: 8, valueSize: 32 };
  const measured = measure(program, map)!;
  expect(measured.place).toEqual({ in: 'value', offset: 8, size: 8, counterOffset: 8, counterSize: 8 });
  expect(atOnce(matchLayout(measured)).layout.slots.bounds).toEqual([9]);
});

test('a number beside the slots is no slot, where types state the places of slots', () => {
  const always = assemble([...VALUES, ['store64', 10, 8, -8], ['=', 7, 24], ...COUNT_AT_R7]);
  const map = { ...COUNTERS, kind: 'hash' as const, keySize: 8, valueSize: 32 };
  const ask = (slots: readonly number[]) => {
    const target = { ...TARGET, elementBytes: 32, isSlotAt: (offset: number) => slots.includes(offset) };
    return () => atOnce(measureSlots(codeOf(always, map), target));
  };
  expect(ask([8, 16])()).toBeUndefined();
  expect(ask([8, 16, 24])).toThrow(NotMeasured);
});

test('a function with many ways through it does not hide the slot that is computed after it', () => {
  const ways = Array.from({ length: 10 }, (_, i) => [
    ['jump==', 1, i, 1] as const,
    ['+=', 0, 2 ** i] as const,
  ]).flat();
  const program = assemble([
    ...VALUES.slice(0, 2),
    ['=r', 1, 9],
    ['function', SLOT_OF_R6.length + COUNT_R7.length + 1],
    ...SLOT_OF_R6,
    ...COUNT_R7,
    ['=', 0, 0],
    ...ways,
    ['exit'],
  ]);
  expect(measuredLayout(program).layout.slots.bounds).toEqual([9]);
});

test('equal steps are measured in the unit of the value', () => {
  const program = assemble([
    ['load32', 7, 1, 0],
    ['/=', 7, 250],
    ['jump<=', 7, 3, 1],
    ['=', 7, 3],
    ...COUNT_R7,
  ]);
  const { layout } = measuredLayout(program);
  expect(layout.slots.bounds).toEqual([249, 499, 749]);
});

test('a difference of two times is one value, whatever the times are', () => {
  const program = assemble([
    ['call', 'time'],
    ['=r', 6, 0],
    ['call', 'time'],
    ['-=r', 0, 6],
    ['=r', 7, 0],
    ['>>=', 7, 10],
    ['jump<=', 7, 4, 1],
    ['=', 7, 4],
    ...COUNT_R7,
  ]);
  expect(measuredLayout(program).layout.slots.bounds).toEqual([1023, 2047, 3071, 4095]);
});

test.each(['jump==r', 'jump!=r'] as const)(
  'two times that are compared by %s have the difference 0 or another one, in any order',
  (jump) => {
    for (const [a, b] of [
      [6, 8],
      [8, 6],
    ] as const) {
      const program = assemble([
        ['load64', 6, 1, 0],
        ['load64', 8, 1, 8],
        ['=', 7, 0],
        ['=r', 9, 6],
        ['-=r', 9, 8],
        ...((jump === 'jump==r'
          ? [[jump, a, b, 3]]
          : [
              [jump, a, b, 1],
              ['jump', 0, 0, 3],
            ]) as Parameters<typeof assemble>[0]),
        ['=', 7, 1],
        ['jump<=', 9, 9, 1],
        ['=', 7, 2],
        ...COUNT_R7,
      ]);
      expect(measuredLayout(program).layout.slots.bounds).toEqual([0, 9]);
    }
  },
);

describe('a difference that is taken only where its terms are not equal', () => {
  type Lines = Parameters<typeof assemble>[0];
  const program = (jump: readonly [6 | 8, 6 | 8], whenEqual: Lines, slots: Lines) =>
    assemble([
      ['load64', 6, 1, 0],
      ['load64', 8, 1, 8],
      ['load64', 9, 1, 16],
      ...whenEqual,
      ['jump==r', ...jump, slots.length + 1],
      ['-=r', 6, 8],
      ...slots,
      ...COUNT_R7,
    ]);
  /** Slot 1 up to 9, and 2 above. */
  const ABOVE_0: Lines = [
    ['=', 7, 1],
    ['jump<=', 6, 9, 1],
    ['=', 7, 2],
  ];

  test('has the slot of 0 that its equal terms have, in any order', () => {
    const zero: Lines = [['=', 7, 0]];
    for (const jump of [
      [6, 8],
      [8, 6],
    ] as const)
      expect(measuredLayout(program(jump, zero, ABOVE_0)).layout.slots.bounds).toEqual([0, 9]);
    // The slot of 1 to 9 has 0, too.
    expect(measuredLayout(program([6, 8], [['=', 7, 1]], ABOVE_0)).layout.slots.bounds).toEqual([9]);
  });

  test('is not measured where the slot of 0 depends on another input', () => {
    const zero: Lines = [
      ['=', 7, 0],
      ['jump==', 9, 7, 1],
      ['=', 7, 2],
    ];
    expect(() => measuredLayout(program([6, 8], zero, ABOVE_0))).toThrow(NotMeasured);
  });
});

test('equal times of which one is not of the difference show nothing', () => {
  const program = assemble([
    ['load64', 6, 1, 0],
    ['load64', 8, 1, 8],
    ['load64', 0, 1, 16],
    ['=', 7, 0],
    ['=r', 9, 6],
    ['-=r', 9, 8],
    ['jump==r', 6, 0, 3],
    ['=', 7, 1],
    ['jump<=', 9, 9, 1],
    ['=', 7, 2],
    ...COUNT_R7,
  ]);
  expect(() => measuredLayout(program)).toThrow(NotMeasured);
});

test('a difference that would be negative counts as 0, and not any other event', () => {
  const clamped = (...lines: Parameters<typeof assemble>[0]) =>
    assemble([
      ['load64', 6, 1, 0],
      ['load64', 8, 1, 8],
      ...lines,
      ['-=r', 6, 8],
      ['jump', 0, 0, 1],
      ['=', 6, 0],
      ['=', 7, 0],
      ['jump<=', 6, 9, 1],
      ['=', 7, 1],
      ...COUNT_R7,
    ]);
  // A jump over the difference when the second time is not below the first one, and when a third argument is 7.
  const compared = measuredLayout(clamped(['jump>=r', 8, 6, 2]));
  expect(compared.layout.slots.bounds).toEqual([9]);
  const third = ['load64', 9, 1, 16] as const;
  for (const lines of [
    [['jump==', 9, 7, 2]],
    [
      ['jump>=r', 8, 6, 3],
      ['jump==', 9, 7, 2],
    ],
    [
      ['jump==', 9, 7, 3],
      ['jump>=r', 8, 6, 2],
    ],
  ] as const)
    expect(() => measuredLayout(clamped(third, ...lines))).toThrow(NotMeasured);
});

test('a time since a start that may be missing is one value, as with `elapsed` of bpftrace', () => {
  const program = assemble([
    ['=', 8, 0],
    ['store32', 10, 8, -8],
    ['=r', 2, 10],
    ['+=', 2, -8],
    ['map', 1, 8],
    ['call', 'lookup'],
    ['jump==', 0, 0, 1],
    ['load64', 8, 0, 0],
    ['call', 'time'],
    ['-=r', 0, 8],
    ['=', 7, 0],
    ['jump<=', 0, 9, 3],
    ['=', 7, 1],
    ['jump<=', 0, 99, 1],
    ['=', 7, 2],
    ...COUNT_R7,
  ]);
  expect(measuredLayout(program).layout.slots.bounds).toEqual([9, 99]);
});

// Comparisons after which the program goes on in the same way.
const IDLE_COMPARISONS = [
  ['=', 0, 0],
  ['jump==', 9, 0, 1],
  ['=', 0, 0],
  ['jump==', 8, 5, 1],
  ['=', 0, 0],
] as const;
const NEXT_SLOT_IF_R9 = [
  ['jump==', 9, 0, 1],
  ['+=', 7, 1],
] as const;

test.each([
  ['before the value is compared', [...VALUES, ...IDLE_COMPARISONS, ...SLOT_OF_R6]],
  ['after it', [...VALUES, ...SLOT_OF_R6, ...IDLE_COMPARISONS]],
  ['before the value is loaded', [...VALUES.slice(1), ...IDLE_COMPARISONS, VALUES[0], ...SLOT_OF_R6]],
] as const)('a slot that depends on what was compared in vain %s is not measured', (_, lines) => {
  const program = assemble([...lines, ...NEXT_SLOT_IF_R9, ...COUNT_R7]);
  expect(() => measuredLayout(program)).toThrow(NotMeasured);
  expect(measuredLayout(assemble([...lines, ...COUNT_R7])).layout.slots.bounds).toEqual([9]);
});

/** A comparison of a value with an integer, and what is done unless it holds: to the slot in r7, or in vain to r0. */
interface Statement {
  readonly register: 6 | 8 | 9;
  readonly jump: 'jump==' | 'jump>' | 'jump<=';
  readonly bound: number;
  readonly change: readonly ['=' | '+=', to: 0 | 7, operand: number];
}

const HOLDS: Readonly<Record<Statement['jump'], (value: bigint, bound: bigint) => boolean>> = {
  'jump==': (value, bound) => value === bound,
  'jump>': (value, bound) => value > bound,
  'jump<=': (value, bound) => value <= bound,
};

/** The slot of some values, by running the statements. */
function slotBy(statements: readonly Statement[], values: Readonly<Record<number, bigint>>): bigint {
  let slot = 0n;
  for (const { register, jump, bound, change } of statements) {
    const [operation, to, operand] = change;
    if (to === 0 || HOLDS[jump](values[register]!, BigInt(bound))) continue;
    slot = operation === '=' ? BigInt(operand) : slot + BigInt(operand);
  }
  return slot < 15n ? slot : 15n;
}

test('what is measured of a program is what it counts, whatever its values are', () => {
  const bound = fc.constantFrom(0, 5, 9, 100);
  const statement: fc.Arbitrary<Statement> = fc.record({
    register: fc.constantFrom(6, 6, 8, 9),
    jump: fc.constantFrom('jump==', 'jump>', 'jump<=', 'jump<='),
    bound,
    change: fc.tuple(fc.constantFrom('=', '+='), fc.constantFrom(0, 7), fc.integer({ min: 0, max: 4 })),
  });
  // Most statements that matter are about one value, so that some programs can be measured.
  const program = fc.array(statement, { minLength: 1, maxLength: 8 }).map((all) =>
    all.map((one): Statement => {
      const isIdle = one.register !== 6 && one.bound !== 5;
      return isIdle ? { ...one, change: ['=', 0, 0] } : one;
    }),
  );
  const samples = [0n, 4n, 5n, 6n, 9n, 10n, 100n, 101n, 2n ** 63n, 2n ** 64n - 1n];
  let measured = 0;
  const property = fc.property(program, (statements) => {
    const lines = statements.flatMap(
      ({ register, jump, bound, change }) => [[jump, register, bound, 1], change] as const,
    );
    let steps: ReturnType<typeof measure>;
    try {
      const start = [...VALUES, ['=', 0, 0], ['=', 7, 0]] as const;
      steps = measure(assemble([...start, ...lines, ['jump<=', 7, 15, 1], ['=', 7, 15], ...COUNT_R7]));
    } catch (error) {
      if (error instanceof NotMeasured) return;
      throw error;
    }
    measured++;
    const isBy = (register: 6 | 8 | 9): boolean =>
      samples.every((a) =>
        samples.every((b) =>
          samples.every((c) => {
            const values = { 6: a, 8: b, 9: c };
            const step = steps!.steps.find(
              ({ from, to }) => from <= values[register] && values[register] <= to,
            );
            return step?.slot === slotBy(statements, values);
          }),
        ),
      );
    expect(isBy(6) || isBy(8) || isBy(9)).toBe(true);
  });
  fc.assert(property, { numRuns: caseCount(300, 10_000) });
  expect(measured).toBeGreaterThan(30);
});
