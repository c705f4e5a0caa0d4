/**
 * Random programs over the whole API of `Histogram`, run here and by HdrHistogram in Java, and compared after each step: totals,
 * moments, percentiles, iterations, texts and encoded bytes.
 */
import { Random } from '../lib/random.js';
import { sourceOf } from './sources.js';

/**
 * @typedef {[what: string, ...fields: any[]]} Step
 * @typedef {{ options: any[], steps: Step[] }} Program `options` of the histograms a and b.
 * @typedef {{ step: number, ours: unknown, java: unknown }} Difference
 */

const NAMES = ['a', 'b'];
const LONGEST_PROGRAM = 14;
const PERCENTILES = [-5, 0, 1e-10, 25, 50, 50.00000000000001, 75, 90, 99, 99.9, 99.999, 100, 150];
// The scripts in goldens carry no types.
const ORACLE = new URL('../goldens/oracle.js', import.meta.url).href;
/** @type {any} */
const { OracleUnavailable, openOracle, Rejected } = await import(ORACLE);

/** The largest value of a histogram that grows. */
const LARGEST = 2 ** 46;
const MOST_ROWS = 3000;

/**
 * Where the two differ, and why that is right. The first one that applies ends the comparison of a program.
 *
 * @type {Record<string, string>}
 */
const EXPLAINED = {
  'grown by adding':
    'Java makes the maximum of the other histogram the highest trackable value; here it is the end of the slots',
  'added to itself': 'Java cannot correct the values of a histogram while it adds them to itself',
  'grown after decoding': 'a decoded histogram grows here; in Java it must be asked to',
  'grown after a shift': 'Java moves counts to wrong values when a histogram grows that was shifted',
  'recorded beyond a shifted range':
    'Java counts values beyond the range of a shifted histogram, at a wrong value',
  'beyond the range': 'Java states the count of the last slot for values beyond the range, and we state 0',
  'no room for the encoding':
    'Java computes too small a buffer for some encodings, and cannot encode its own histogram',
  'empty but for its range':
    'the maximum of an empty histogram can be the end of its first slot in Java, which then must fit or widens the range',
  'maximum after a shift':
    'Java shifts the largest equivalent value, which then lies above the slot that holds the count, and encodes the slots up to it',
  'sum beyond 2^63': 'the sum of the values wraps round in Java, and is exact here',
  'refused by us': 'a step that would pass 2^53 - 1 in counts or values, which doubles cannot hold',
};

/**
 * @param {Random} random
 * @returns {Program}
 */
function makeProgram(random) {
  const options = NAMES.map(() => {
    const lowest = random.oneIn(2) ? 1 : 2 ** random.below(12) + random.below(3);
    const highest = Math.max(2 * lowest, 2 ** (2 + random.below(38)) - random.below(2));
    return [lowest, highest, random.below(6) % 5, random.oneIn(2)];
  });
  const steps = Array.from({ length: 2 + random.below(LONGEST_PROGRAM) }, () => makeStep(random, options));
  return { options, steps };
}

/**
 * @param {Random} random
 * @param {any[]} options
 * @returns {Step}
 */
function makeStep(random, options) {
  const at = random.below(NAMES.length);
  const name = NAMES[at];
  const other = random.of(NAMES);
  const [lowest, highest, , autoResize] = options[at];
  const value = () => {
    const bits = random.below(Math.ceil(Math.log2(highest)) + (autoResize ? 6 : 1));
    const any = Math.floor(2 ** bits * (1 + random.next() / 2 ** 32)) - random.below(2);
    return Math.min(random.oneIn(40) ? LARGEST / 2 : any, autoResize ? LARGEST : highest * 2);
  };
  // Java takes a step for every interval up to the largest value.
  const largest = Math.max(...options.map(([, most, , grows]) => (grows ? LARGEST : most * 2)));
  const interval = (below = largest) =>
    Math.max(1, Math.floor(below / (1 + random.below(200)))) + random.below(lowest + 1);
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return ['record', name, Array.from({ length: 1 + random.below(12) }, () => [value(), 1, 0])];
    case 4:
      return ['record', name, [[value(), 1 + random.below(random.oneIn(3) ? 2 ** 31 : 100), 0]]];
    case 5: {
      const one = value();
      return ['record', name, [[one, 1 + random.below(3), interval(one)]]];
    }
    case 6:
      return ['add', name, other];
    case 7:
      return ['subtract', name, other];
    case 8:
      return ['addWhileCorrecting', name, other, interval()];
    case 9:
      return ['copyCorrected', name, interval()];
    case 10:
      return [random.oneIn(2) ? 'shiftLeft' : 'shiftRight', name, random.below(5)];
    case 11:
      return random.oneIn(4) ? ['reset', name] : ['copy', name];
    case 12:
      return ['code', name];
    case 13:
      return [
        'iterate',
        name,
        ...random.of([
          ['recorded'],
          ['percentiles', 1 + random.below(10)],
          ['linear', interval()],
          ['logarithmic', Math.max(lowest, random.below(1000)), random.of([1.5, 2, 10])],
        ]),
      ];
    case 14:
      return ['text', name, 1 + random.below(10), random.of([1, 1000, 2.5]), random.oneIn(2)];
    default: {
      const [low, high] = [value(), value()].sort((a, b) => a - b);
      return ['values', name, low, high];
    }
  }
}

/**
 * Runs a step here.
 *
 * @param {any} core
 * @param {Record<string, any>} made The histograms by name.
 * @param {Step} step
 * @returns {unknown} The answer, for steps that ask only.
 */
function runHere(core, made, [what, name, ...fields]) {
  const histogram = made[name];
  switch (what) {
    case 'record':
      for (const [value, count, interval] of fields[0]) {
        if (interval === 0) histogram.record(value, count);
        else histogram.recordCorrected(value, interval, count);
      }
      return undefined;
    case 'add':
      return histogram.add(made[fields[0]]);
    case 'subtract':
      return histogram.subtract(made[fields[0]]);
    case 'addWhileCorrecting':
      return histogram.addCorrected(made[fields[0]], fields[1]);
    case 'copyCorrected':
      made[name] = histogram.copyCorrected(fields[0]);
      return undefined;
    case 'copy':
      made[name] = histogram.copy();
      return undefined;
    case 'code':
      made[name] = core.Histogram.decode(histogram.toBase64(), { storage: histogram.storage });
      return undefined;
    case 'shiftLeft':
    case 'shiftRight':
      return histogram[what](fields[0]);
    case 'reset':
      return histogram.reset();
    case 'iterate':
      return [...stepsOf(histogram.exact, fields)].slice(0, MOST_ROWS).map(rowOf);
    case 'text':
      return core.formatPercentiles(histogram, {
        ticksPerHalfDistance: fields[0],
        valueScale: fields[1],
        format: fields[2] ? 'csv' : 'text',
      });
    default: {
      const [low, high] = fields;
      return [
        [low, histogram.countAt(low), histogram.percentileAtOrBelow(low)],
        [low, high, histogram.countBetween(low, high)],
      ];
    }
  }
}

/**
 * @param {any} histogram
 * @param {any[]} fields
 */
function stepsOf(histogram, [kind, first, base]) {
  switch (kind) {
    case 'recorded':
      return histogram.recordedValues();
    case 'percentiles':
      return histogram.percentiles(first);
    case 'linear':
      return histogram.linearValues(BigInt(first));
    default:
      return histogram.logarithmicValues(BigInt(first), base);
  }
}

/**
 * A row as Java states it: long integers as text.
 *
 * @param {any} step
 */
function rowOf(step) {
  return [
    step.valueIteratedTo,
    step.valueIteratedFrom,
    step.countAtValueIteratedTo,
    step.countAddedInThisIterationStep,
    step.totalCountToThisValue,
    step.totalValueToThisValue,
    step.percentile,
    step.percentileLevelIteratedTo,
  ].map((column) => {
    if (typeof column === 'number') return Number.isNaN(column) ? 'NaN' : column;
    return column <= Number.MAX_SAFE_INTEGER ? Number(column) : String(column);
  });
}

/**
 * The question to Java for a step.
 *
 * @param {Step} step
 * @returns {any[][]}
 */
function questionsOf([what, name, ...fields]) {
  switch (what) {
    case 'record':
      return [
        [
          what,
          name,
          ...fields[0].map(
            (/** @type {number[]} */ [value, count, interval]) => `${value}*${count}@${interval}`,
          ),
        ],
      ];
    case 'copy':
      return [[what, name, name]];
    case 'copyCorrected':
      return [[what, name, name, fields[0]]];
    case 'values':
      return [
        ['atValues', name, fields[0]],
        ['between', name, ...fields],
      ];
    default:
      return [[what, name, ...fields]];
  }
}

const ASKS = new Set(['iterate', 'text', 'values']);

/** @param {any} histogram */
function stateOf(histogram) {
  const { layout, totalCount, min, max, minNonZero, mean, standardDeviation } = histogram;
  return {
    totalCount,
    min,
    max: minNonZero === 0 ? 0 : max,
    minNonZero,
    mean,
    standardDeviation,
    highest: Number(layout.highestTrackableBigInt),
    slots: layout.slotCount,
    percentiles: histogram.valuesAtPercentiles(PERCENTILES),
    v2: Buffer.from(histogram.encode()).toString('hex'),
  };
}

/**
 * Without values above 0, Java states the largest integer as their minimum, and 0 or the end of the first slot as the maximum,
 * which depends on how the counts came there. We read both off the slots.
 *
 * @param {any} summary
 */
function hasOnlyZeros({ minNonZero }) {
  return Number(minNonZero) > 2 ** 53;
}

/**
 * @param {any} oracle
 * @param {string} name
 */
async function stateInJava(oracle, name) {
  const [summary, percentiles, v2] = await Promise.all([
    oracle.ask('summary', name),
    oracle.ask('percentiles', name, ...PERCENTILES),
    oracle.ask('encode', name).catch((/** @type {any} */ error) => {
      if (!String(error.cause).includes('buffer does not have capacity')) throw error;
      return undefined;
    }),
  ]);
  if (v2 === undefined) return undefined;
  return {
    totalCount: Number(summary.totalCount),
    min: Number(summary.min),
    max: hasOnlyZeros(summary) ? 0 : Number(summary.max),
    minNonZero: hasOnlyZeros(summary) ? 0 : Number(summary.minNonZero),
    mean: Number(summary.mean),
    standardDeviation: Number(summary.standardDeviation),
    highest: Number(summary.highestTrackableValue),
    slots: summary.countsArrayLength,
    percentiles: percentiles.map((/** @type {any[]} */ [, value]) => Number(value)),
    v2,
  };
}

/**
 * @param {any} core
 * @param {any} oracle
 * @param {Program} program
 * @returns {Promise<Difference | string | undefined>} A difference, the name of the explained one, or `undefined`.
 */
async function compareProgram(core, oracle, { options, steps }) {
  /** @type {Record<string, any>} */
  const made = {};
  for (const [i, [lowest, highest, digits, autoResize]] of options.entries()) {
    const name = /** @type {string} */ (NAMES[i]);
    made[name] = new core.Histogram({
      lowestDiscernibleValue: lowest,
      highestTrackableValue: highest,
      significantDigits: digits,
      autoResize,
      storage: (lowest + digits) % 2 === 0 ? 'dense' : 'sparse',
    });
    await oracle.ask('new', name, lowest, highest, digits, autoResize);
  }
  for (const [at, step] of steps.entries()) {
    const name = step[1];
    const slotsBefore = made[name].layout.slotCount;
    const isOtherEmpty = made[step[2]]?.minNonZero === 0;
    const ours = attempt(() => runHere(core, made, step));
    const java = await javaAnswer(oracle, step);
    if (ours.error !== undefined || java.error !== undefined) {
      // The state of Java's histogram after an exception is undefined.
      if (ours.error !== undefined && java.error !== undefined) return undefined;
      if (isOtherEmpty && java.error?.includes('do not fit')) return 'empty but for its range';
      return (
        explanationOf(step, ours, java, steps.slice(0, at)) ?? {
          step: at,
          ours: ours.error ?? 'done',
          java: java.error ?? 'done',
        }
      );
    }
    const hasAnswer = ASKS.has(step[0]);
    const withMax = step[0] !== 'text' || made[name].minNonZero > 0;
    const [left, right] = hasAnswer
      ? [ours.answer, java.answer].map((answer) =>
          withMax ? answer : String(answer).replace(/Max +=.*,/, ''),
        )
      : [stateOf(made[name]), await stateInJava(oracle, name)];
    if (right === undefined) return 'no room for the encoding';
    if (JSON.stringify(left) === JSON.stringify(right)) continue;
    if (step[0] === 'values' && step[3] > Number(made[name].layout.highestTrackableBigInt))
      return 'beyond the range';
    if (isOtherEmpty && /^add/.test(step[0])) return 'empty but for its range';
    const hasGrown = made[name].layout.slotCount > slotsBefore;
    if (hasGrown && steps.slice(0, at).some(([what, which]) => /^shift/.test(what) && which === name))
      return 'grown after a shift';
    return (
      explanationOf(step, { answer: left }, { answer: right }) ?? { step: at, ...shortened(left, right) }
    );
  }
  // Java compares the maximum too: see hasOnlyZeros.
  if (made.a.minNonZero === 0 || made.b.minNonZero === 0) return undefined;
  const same = await oracle.ask('same', 'a', 'b');
  return made.a.equals(made.b) === same ? undefined : { step: steps.length, ours: !same, java: same };
}

/**
 * @param {Step} step
 * @param {{ answer?: any, error?: string }} ours
 * @param {{ answer?: any, error?: string }} java
 * @param {Step[]} [before] The steps before it, when one of the two refuses the step.
 * @returns {string | undefined}
 */
function explanationOf([what, name], ours, java, before = []) {
  const isShifted = before.some((step) => /^shift/.test(step[0]) && step[1] === name);
  if (isShifted && what === 'record' && ours.error !== undefined) return 'recorded beyond a shifted range';
  const isDecoded = before.some((step) => step[0] === 'code' && step[1] === name);
  if (isDecoded && java.error?.startsWith('ArrayIndexOutOfBounds')) return 'grown after decoding';
  if (ours.error !== undefined && /2\^53|9007199254740991/.test(ours.error)) return 'refused by us';
  if (java.error?.startsWith('ConcurrentModification')) return 'added to itself';
  if (
    /add/.test(what) &&
    ours.answer?.slots === java.answer?.slots &&
    ours.answer?.highest > java.answer?.highest
  )
    return 'grown by adding';
  if (/^shift/.test(what) && isMaximumOnly(ours.answer, java.answer)) return 'maximum after a shift';
  if (what === 'iterate' && isSumOnly(ours.answer, java.answer)) return 'sum beyond 2^63';
  return undefined;
}

/**
 * Whether two states have the same counts, but another maximum and the slots up to it.
 *
 * @param {any} ours
 * @param {any} java
 */
function isMaximumOnly(ours, java) {
  if (!(ours?.max < java?.max)) return false;
  const equal = ['totalCount', 'min', 'minNonZero', 'mean', 'standardDeviation', 'slots', 'percentiles'];
  // The header is 40 bytes long, with the length of the counts in its second word.
  return (
    equal.every((key) => JSON.stringify(ours[key]) === JSON.stringify(java[key])) &&
    java.v2.slice(16).startsWith(ours.v2.slice(16))
  );
}

/**
 * Whether rows differ only in sums that a signed integer of 64 bits does not hold.
 *
 * @param {any[][]} ours
 * @param {any[][]} java
 */
function isSumOnly(ours, java) {
  return (
    ours?.length === java?.length &&
    ours.every((row, i) =>
      row.every((column, j) => column === java[i]?.[j] || (j === 5 && BigInt(column) >= 2n ** 63n)),
    )
  );
}

/**
 * The parts of two answers that differ.
 *
 * @param {any} ours
 * @param {any} java
 */
function shortened(ours, java) {
  if (typeof ours !== 'object') return { ours, java };
  const keys = Object.keys(ours).filter((key) => JSON.stringify(ours[key]) !== JSON.stringify(java[key]));
  /** @param {any} one */
  const picked = (one) => Object.fromEntries(keys.slice(0, 4).map((key) => [key, one[key]]));
  return { ours: picked(ours), java: picked(java) };
}

/** @param {() => unknown} run */
function attempt(run) {
  try {
    return { answer: run() };
  } catch (error) {
    if (/** @type {any} */ (error).name !== 'HdrscopeError') throw error;
    return { error: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {any} oracle
 * @param {Step} step
 * @returns {Promise<{ answer?: any, error?: string }>}
 */
async function javaAnswer(oracle, step) {
  try {
    if (step[0] === 'code') {
      await oracle.ask('decompress', step[1], await oracle.ask('compress', step[1]), 8);
      return {};
    }
    const answers = await Promise.all(questionsOf(step).map((question) => oracle.ask(...question)));
    if (step[0] === 'values') return { answer: [answers[0][0], answers[1]] };
    if (step[0] === 'iterate') return { answer: answers[0].slice(0, MOST_ROWS) };
    return { answer: answers[0] };
  } catch (/** @type {any} */ error) {
    if (!(error instanceof Rejected)) throw error;
    return { error: `${error.message}: ${error.cause}` };
  }
}

/**
 * The shortest program found that differs too.
 *
 * @param {any} core
 * @param {any} oracle
 * @param {Program} program
 */
async function shrinkProgram(core, oracle, program) {
  let smallest = program;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const steps of smallerSteps(smallest.steps)) {
      const candidate = { ...smallest, steps };
      if (typeof (await compareProgram(core, oracle, candidate)) !== 'object') continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/**
 * @param {Step[]} steps
 * @returns {Generator<Step[]>}
 */
function* smallerSteps(steps) {
  for (let i = 0; i < steps.length; i++) yield steps.toSpliced(i, 1);
  for (const [i, [what, name, records]] of steps.entries()) {
    if (what !== 'record') continue;
    for (let j = 0; records.length > 1 && j < records.length; j++)
      yield steps.with(i, [what, name, records.toSpliced(j, 1)]);
  }
}

/**
 * @param {number} seed
 * @param {number} from
 * @param {{ cases?: number, seconds?: number }} limits
 * @returns {Promise<boolean>} Whether all programs gave equal results.
 */
export async function comparePrograms(seed, from, { cases = Number.MAX_SAFE_INTEGER, seconds = 1e9 }) {
  const core = await sourceOf('core/src/index.ts');
  let oracle;
  try {
    oracle = await openOracle();
  } catch (/** @type {any} */ error) {
    if (!(error instanceof OracleUnavailable)) throw error;
    console.log(`java: skipped: ${error.message}`);
    return true;
  }
  /** @type {Map<string, number>} */
  const explained = new Map();
  let findings = 0;
  let count = 0;
  const start = performance.now();
  try {
    for (; count < cases && performance.now() - start < seconds * 1000 && findings < 5; count++) {
      const program = makeProgram(new Random(seed, from + count));
      const difference = await compareProgram(core, oracle, program);
      if (typeof difference === 'string') explained.set(difference, (explained.get(difference) ?? 0) + 1);
      if (typeof difference !== 'object') continue;
      findings++;
      const smallest = await shrinkProgram(core, oracle, program);
      console.log(`\njava: ${JSON.stringify(smallest)}`);
      console.log(`  ${JSON.stringify(await compareProgram(core, oracle, smallest)).slice(0, 2000)}`);
      console.log(`  again: npm run fuzz -- java --seed ${seed} --from ${from + count} --cases 1\n`);
    }
  } finally {
    await oracle.close();
  }
  const took = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${'java'.padEnd(20)} ${count} programs in ${took} s, seed ${seed}, ${findings} findings`);
  for (const [name, times] of explained) console.log(`  ${times} times ${name}: ${EXPLAINED[name]}`);
  return findings === 0;
}
