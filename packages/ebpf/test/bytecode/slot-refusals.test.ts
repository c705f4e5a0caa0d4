import { atOnce } from '@hdrscope/kit';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { countingProgram } from '../../src/bpf/counting-program.ts';
import { matchLayout } from '../../src/bytecode/match-layout.ts';
import { NotMeasured } from '../../src/bytecode/not-measured.ts';
import { parseKernelLayout } from '../../src/index.ts';
import { assemble, COUNT_R7, COUNTERS } from '../support/instructions.ts';
import { measure, measuredLayout, SLOT_OF_R6, VALUES } from '../support/measured.ts';

// Another instruction changes the counter when the second value is not 0.
test.each([
  [
    'adds 2',
    [
      ['=', 1, 2],
      ['add64', 0, 1],
    ],
  ],
  [
    'adds the value',
    [
      ['=r', 1, 6],
      ['add64', 0, 1],
    ],
  ],
  [
    'stores 5',
    [
      ['=', 1, 5],
      ['store64', 0, 1, 0],
    ],
  ],
  [
    'sets bits',
    [
      ['=', 1, 1],
      ['or64', 0, 1],
    ],
  ],
] as const)('counters to which a program also %s are not measured', (_, change) => {
  const counting = (other: typeof change) =>
    assemble([
      ...VALUES,
      ...SLOT_OF_R6,
      ...COUNT_R7.slice(0, 5),
      ['jump==', 0, 0, 6],
      ['jump==', 9, 0, 3],
      ...other,
      ['jump', 0, 0, 2],
      ['=', 1, 1],
      ['add64', 0, 1],
      ['=', 0, 0],
      ['exit'],
    ]);
  expect(() => measuredLayout(counting(change))).toThrow(NotMeasured);
});

test.each([
  ['the counter', 0, false],
  ['the bytes after it', 8, true],
])('a helper that may write to %s', (_, offset, isMeasured) => {
  const program = assemble([
    ...VALUES,
    ...SLOT_OF_R6,
    ...COUNT_R7.slice(0, 5),
    ['jump==', 0, 0, 7],
    ['=r', 8, 0],
    ['=r', 1, 0],
    ['+=', 1, offset],
    ['=', 2, 8],
    ['call', 'time'],
    ['=', 1, 1],
    ['add64', 8, 1],
    ['=', 0, 0],
    ['exit'],
  ]);
  const ask = () => measure(program, { ...COUNTERS, valueSize: 16 });
  if (isMeasured) expect(ask()?.place).toMatchObject({ in: 'key', counterOffset: 0 });
  else expect(ask).toThrow(NotMeasured);
});

test('a program that writes to its context is not measured', () => {
  const program = assemble([...VALUES, ['store64', 1, 9, 0], ...SLOT_OF_R6, ...COUNT_R7]);
  expect(() => measure(program)).toThrow('writes to its context');
});

test.each([
  [
    'the slot depends on two values',
    'depend',
    [
      ['load64', 7, 1, 0],
      ['load64', 6, 1, 8],
      ['&=', 7, 7],
      ['&=', 6, 7],
      ['<<=', 6, 3],
      ['|=r', 7, 6],
    ],
  ],
  [
    'the slot depends on the CPU',
    'depend',
    [
      ['call', 'cpu'],
      ['=r', 7, 0],
      ['&=', 7, 7],
    ],
  ],
  [
    'the slot is that of smaller values again',
    'again',
    [
      ['load64', 7, 1, 0],
      ['>>=', 7, 12],
      ['&=', 7, 7],
    ],
  ],
  [
    'the slot is the rest of a division',
    'neighbours',
    [
      ['load64', 7, 1, 0],
      ['&=', 7, 7],
    ],
  ],
  [
    'the slot is the rest of a hash of values',
    'depend',
    [
      ['load64', 7, 1, 0],
      ['load64', 6, 1, 8],
      ['^=r', 7, 6],
      ['&=', 7, 7],
    ],
  ],
  [
    'larger values are in lower slots',
    'follow',
    [
      ['load32', 6, 1, 0],
      ['=', 7, 5],
      ['jump>', 6, 9, 1],
      ['=', 7, 6],
    ],
  ],
  [
    'one run counts two values',
    'depend',
    [
      ['load64', 9, 1, 8],
      ['load64', 7, 1, 0],
      ['>>=', 7, 60],
      ...COUNT_R7.slice(0, 8),
      ['=r', 7, 9],
      ['>>=', 7, 60],
    ],
  ],
  ['each value has a slot', 'neighbours', [['load64', 7, 1, 0]]],
  [
    'every value has the same slot',
    'one measured value',
    [
      ['load64', 6, 1, 0],
      ['=', 7, 3],
    ],
  ],
  [
    'a loop does not end',
    'too',
    [
      ['load64', 7, 1, 0],
      ['jump', 0, 0, -1],
    ],
  ],
] as const)('nothing is measured when %s', (_, reason, lines) => {
  const program = assemble([...lines, ...COUNT_R7]);
  const ask = () => atOnce(matchLayout(measure(program)!));
  expect(ask).toThrow(NotMeasured);
  expect(ask).toThrow(reason);
});

test('a program that only reads the map is not one that counts in it', () => {
  const lookup = COUNT_R7.slice(0, 5);
  expect(measure(assemble([['=', 7, 0], ...lookup, ['=', 0, 0], ['exit']]))).toBeUndefined();
});

test('a program that looks into a map that has gone is refused', () => {
  // As the kernel has replaced a lookup in an array: the address of the map, and the distance of the element.
  const program = assemble([
    ['map', 1, 8],
    ['+=', 1, 272],
    ['+=', 1, 8],
    ['load64', 6, 1, 0],
    ...SLOT_OF_R6,
    ...COUNT_R7,
  ]);
  const ask = () => measure(program, { ...COUNTERS, valueSize: 0 });
  expect(ask).toThrow('one of its maps has ended');
});

test('slots of another map are not measured', () => {
  const program = countingProgram({ mapFd: 8, layout: parseKernelLayout('queue-depth') });
  expect(measure(program)).toBeUndefined();
});

test('any bytes are either measured or refused, within limited time', () => {
  const start = performance.now();
  const bytes = fc.uint8Array({ maxLength: 800 });
  // Bytes of real instructions come further than random ones.
  const codes = fc.constantFrom(
    0xb7,
    0xbf,
    0x07,
    0x0f,
    0x15,
    0x2d,
    0x61,
    0x79,
    0x7b,
    0x63,
    0x85,
    0x95,
    0x18,
    0xdb,
    0x57,
  );
  const instruction = fc.tuple(
    codes,
    fc.nat(255),
    fc.integer({ min: -8, max: 8 }),
    fc.integer({ min: -9, max: 9 }),
  );
  const instructions = fc.array(instruction, { maxLength: 40 }).map((list) => {
    const view = new DataView(new ArrayBuffer(8 * list.length));
    for (const [i, [code, registers, offset, value]] of list.entries()) {
      view.setUint8(8 * i, code);
      view.setUint8(8 * i + 1, registers);
      view.setInt16(8 * i + 2, offset, true);
      view.setInt32(8 * i + 4, value, true);
    }
    return new Uint8Array(view.buffer);
  });
  const property = fc.property(fc.oneof(bytes, instructions), (program) => {
    try {
      measure(program);
    } catch (error) {
      expect(error).toBeInstanceOf(NotMeasured);
    }
  });
  fc.assert(property, { numRuns: caseCount(200, 500) });
  expect(performance.now() - start).toBeLessThan(60_000);
});
