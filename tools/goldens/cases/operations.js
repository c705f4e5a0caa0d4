import { describe, make } from '../ask.js';
import { takeSteps } from '../steps.js';
import { each, growing, HOUR_NS, HOUR_US, hdr, LARGEST, latenciesUs, stall } from './recordings.js';

export const name = 'operations';

export const header = {
  about:
    'What one histogram becomes through others. `after` is the state that a step leaves; a step that HdrHistogram refuses names its exception in `rejected`, and ends the case.',
  steps: {
    record: '{ recorded | generator }',
    add: '{ other }: a case of its own, moved by its `shiftLeft` after recording if it has one',
    subtract: '{ other }',
    addWhileCorrecting: '{ other, expectedInterval }',
    copyCorrected: '{ expectedInterval }: the copy takes the place of the histogram',
    copy: 'the copy takes the place of the histogram',
    shiftLeft: '{ by }: binary orders of magnitude',
    shiftRight: '{ by }: binary orders of magnitude',
    reset: '',
  },
};

const FEW = [[1], [5], [300, 2], [301], [5000]];
const few = { options: hdr(1, 10_000, 2), recorded: FEW };

const recordStep = (...recorded) => ({ do: 'record', recorded });
const add = (options, recorded) => ({ do: 'add', other: { options, recorded } });
const subtract = (options, recorded) => ({ do: 'subtract', other: { options, recorded } });
const shiftLeft = (by) => ({ do: 'shiftLeft', by });
const shiftRight = (by) => ({ do: 'shiftRight', by });

export const cases = [
  { name: 'add, same layout', ...few, steps: [add(hdr(1, 10_000, 2), [[0], [5, 4], [9999]])] },
  { name: 'add, empty', ...few, steps: [add(hdr(1, 10_000, 2), [])] },
  { name: 'add to empty', options: hdr(1, 10_000, 2), recorded: [], steps: [add(hdr(1, 10_000, 2), FEW)] },
  { name: 'add, wider range', ...few, steps: [add(hdr(1, HOUR_US, 2), FEW)] },
  { name: 'add, more digits', ...few, steps: [add(hdr(1, 10_000, 4), [[301], [4999], [9999, 3]])] },
  {
    name: 'add, fewer digits: lowest values arrive',
    ...few,
    steps: [add(hdr(1, 10_000, 1), [[301], [4999], [9000, 3]])],
  },
  { name: 'add, other unit', ...few, steps: [add(hdr(16, 10_000, 2), [[7], [100], [5001, 2], [9000]])] },
  {
    name: 'add to a coarser unit',
    options: hdr(1000, HOUR_NS, 3),
    recorded: each(5000),
    steps: [add(hdr(1, 1_000_000, 3), each(1, 511, 512, 70_001))],
  },
  { name: 'add, does not fit', ...few, steps: [add(hdr(1, HOUR_US, 2), each(1_000_000))] },
  { name: 'add, does not fit by configuration only', ...few, steps: [add(hdr(1, HOUR_US, 2), each(16_000))] },
  {
    name: 'add, grows',
    options: growing(3),
    recorded: each(1, 2),
    steps: [add(growing(3), each(3, 1_000_000))],
  },
  {
    name: 'add, grows, other digits',
    options: growing(3),
    recorded: each(7),
    steps: [add(hdr(1, HOUR_US, 2), [[9], [1_000_003, 4]])],
  },
  {
    name: 'add latencies',
    options: hdr(1, HOUR_US, 2),
    generator: latenciesUs(5000, 71),
    steps: [{ do: 'add', other: { options: hdr(1, HOUR_US, 3), generator: latenciesUs(5000, 72) } }],
  },
  {
    name: 'add beyond 2^53',
    options: growing(2),
    recorded: each(2n ** 60n),
    steps: [add(growing(2), each(LARGEST, 3))],
  },

  { name: 'subtract, same layout', ...few, steps: [subtract(hdr(1, 10_000, 2), [[1], [300], [5000]])] },
  { name: 'subtract all', ...few, steps: [subtract(hdr(1, 10_000, 2), FEW)] },
  { name: 'subtract none', ...few, steps: [subtract(hdr(1, 10_000, 2), [])] },
  { name: 'subtract, other digits', ...few, steps: [subtract(hdr(1, 10_000, 3), [[1], [300], [5000]])] },
  { name: 'subtract, wider range', ...few, steps: [subtract(hdr(1, HOUR_US, 2), [[5], [5001]])] },
  { name: 'subtract, more than there is', ...few, steps: [subtract(hdr(1, 10_000, 2), [[300, 4]])] },
  { name: 'subtract, what is not there', ...few, steps: [subtract(hdr(1, 10_000, 2), each(4))] },
  { name: 'subtract, does not fit', ...few, steps: [subtract(hdr(1, HOUR_US, 2), each(1_000_000))] },
  {
    name: 'subtract undoes add',
    ...few,
    steps: [add(hdr(1, 10_000, 2), [[0], [9999, 2]]), subtract(hdr(1, 10_000, 2), [[0], [9999, 2]])],
  },

  { name: 'shift left', ...few, steps: [shiftLeft(1)] },
  {
    name: 'shift left, as far as it goes',
    options: hdr(1, HOUR_US, 2),
    recorded: FEW,
    steps: [shiftLeft(3), shiftLeft(16), shiftLeft(1)],
  },
  { name: 'shift left, too far', ...few, steps: [shiftLeft(3)] },
  { name: 'shift left by none', ...few, steps: [shiftLeft(0)] },
  {
    name: 'shift left, zeros stay',
    options: hdr(1, HOUR_US, 2),
    recorded: [[0, 4], [1], [200]],
    steps: [shiftLeft(4)],
  },
  { name: 'shift left, zeros only', options: hdr(1, HOUR_US, 2), recorded: [[0, 4]], steps: [shiftLeft(40)] },
  {
    name: 'shift left, unit of 512',
    options: hdr(1000, HOUR_NS, 3),
    recorded: each(1, 1000, 2_000_000),
    steps: [shiftLeft(2)],
  },
  {
    name: 'shift left and back',
    options: hdr(1, HOUR_US, 3),
    recorded: each(3000, 70_000),
    steps: [shiftLeft(9), shiftRight(9)],
  },
  {
    name: 'shift right',
    options: hdr(1, HOUR_US, 2),
    recorded: [[0, 2], [1024], [70_000]],
    steps: [shiftRight(2)],
  },
  { name: 'shift right, too far', options: hdr(1, HOUR_US, 2), recorded: each(1024), steps: [shiftRight(4)] },
  { name: 'shift right, lowest half bucket', ...few, steps: [shiftRight(1)] },
  {
    name: 'shift, then record and add',
    options: hdr(1, HOUR_US, 2),
    recorded: FEW,
    steps: [shiftLeft(5), recordStep([7, 2], [HOUR_US]), add(hdr(1, HOUR_US, 2), FEW)],
  },
  {
    name: 'shift, then grow',
    options: growing(2),
    recorded: each(1, 300, 40_000),
    steps: [
      recordStep([10_000_000]),
      { do: 'subtract', other: { options: growing(2), recorded: each(10_000_000) } },
      shiftLeft(3),
      recordStep([2_000_000_000]),
    ],
  },
  {
    name: 'add what was shifted',
    options: hdr(1, HOUR_US, 2),
    recorded: FEW,
    steps: [{ do: 'add', other: { options: hdr(1, HOUR_US, 2), recorded: FEW, shiftLeft: 3 } }],
  },

  {
    name: 'copy',
    options: growing(3),
    recorded: [[0], [7, 3], [1_000_000]],
    steps: [{ do: 'copy' }, recordStep([9_000_000])],
  },
  { name: 'reset', ...few, steps: [{ do: 'reset' }, recordStep([17])] },
  {
    name: 'copy corrected',
    options: hdr(1, HOUR_US, 3),
    recorded: stall(),
    steps: [{ do: 'copyCorrected', expectedInterval: 10_000 }],
  },
  {
    name: 'copy corrected, unit of 512',
    options: hdr(1000, HOUR_US * 512, 3),
    recorded: stall(512),
    steps: [{ do: 'copyCorrected', expectedInterval: 10_000 * 512 }],
  },
  { name: 'copy corrected, no interval', ...few, steps: [{ do: 'copyCorrected', expectedInterval: 0 }] },
  {
    name: 'copy corrected, highest equivalent values',
    ...few,
    steps: [{ do: 'copyCorrected', expectedInterval: 100 }],
  },
  {
    name: 'copy corrected latencies',
    options: hdr(1, HOUR_US, 2),
    generator: latenciesUs(1000, 73),
    steps: [{ do: 'copyCorrected', expectedInterval: 1000 }],
  },
  {
    name: 'add while correcting',
    ...few,
    steps: [
      {
        do: 'addWhileCorrecting',
        other: {
          options: hdr(1, HOUR_US, 3),
          recorded: [
            [100, 3],
            [5000, 2],
          ],
        },
        expectedInterval: 1000,
      },
    ],
  },
  {
    name: 'add while correcting, does not fit',
    ...few,
    steps: [
      {
        do: 'addWhileCorrecting',
        other: { options: hdr(1, HOUR_US, 3), recorded: each(50_000) },
        expectedInterval: 1000,
      },
    ],
  },

  {
    name: 'grow step by step',
    options: growing(3),
    recorded: [],
    steps: [
      0,
      1,
      2047,
      2048,
      4095,
      4096,
      100_001,
      2 ** 31,
      HOUR_NS,
      2 ** 52,
      2 ** 53 - 1,
      2n ** 62n,
      LARGEST,
    ].map((value) => recordStep([value])),
  },
  {
    name: 'grow step by step, 0 digits',
    options: growing(0),
    recorded: [],
    steps: [0, 1, 2, 3, 4, 5, 1000, 2 ** 40].map((value) => recordStep([value])),
  },
  {
    name: 'grow from a range, unit of 512',
    options: { ...hdr(1000, 2000, 2), autoResize: true },
    recorded: each(1000, 2000),
    steps: [recordStep([131_071]), recordStep([131_072]), recordStep([HOUR_NS])],
  },
  { name: 'record above the range', ...few, steps: [recordStep([16_383]), recordStep([16_384])] },
  { name: 'record below zero', ...few, steps: [recordStep([-1])] },
  {
    name: 'correction grows the range first',
    options: growing(2),
    recorded: [],
    steps: [recordStep([100_000, 1, 30_000])],
  },
];

export async function answer(oracle, { steps, ...each }) {
  await make(oracle, 'h', each);
  const taken = await takeSteps(oracle, steps);
  return taken.rejected
    ? { steps: taken.steps }
    : { steps: taken.steps, result: await describe(oracle, 'h') };
}
