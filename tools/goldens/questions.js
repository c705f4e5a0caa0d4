/**
 * What each fixture asks of HdrHistogram. A case in a fixture has its questions beside the answers, so the fixture is the list of cases: whoever
 * adds one writes a line with its questions.
 */
import { describe, iterate, iterateAll, make } from './ask.js';
import { Rejected } from './oracle.js';
import { takeSteps } from './steps.js';

const RECORDING = ['name', 'options', 'recorded', 'generator'];

/** By fixture: the fields of a case that are questions, and the answers to them. */
export const FIXTURES = {
  histograms: {
    fields: [...RECORDING, 'atValues'],
    async answer(oracle, { atValues, ...each }) {
      await make(oracle, 'h', each);
      return {
        ...(await describe(oracle, 'h')),
        atValues: await oracle.ask('atValues', 'h', ...atValues),
        between: [
          await oracle.ask('between', 'h', 0, 1000),
          await oracle.ask('between', 'h', 1001, 100_000),
          await oracle.ask('between', 'h', 0, each.options.highestTrackableValue),
        ],
        compressed: await oracle.ask('compress', 'h'),
      };
    },
  },
  iterators: {
    fields: [...RECORDING, 'iterations'],
    async answer(oracle, { iterations, ...each }) {
      await make(oracle, 'h', each);
      return { iterations: await iterateAll(oracle, 'h', iterations) };
    },
  },
  'percentile-text': {
    fields: [...RECORDING, 'texts'],
    async answer(oracle, { texts: prints, ...each }) {
      await make(oracle, 'h', each);
      const texts = [];
      for (const { ticksPerHalfDistance, scalingRatio, csv } of prints) {
        const text = await oracle.ask('text', 'h', ticksPerHalfDistance, scalingRatio, csv);
        texts.push({ ticksPerHalfDistance, scalingRatio, csv, text });
      }
      return { texts };
    },
  },
  operations: {
    fields: [...RECORDING, 'steps'],
    async answer(oracle, { steps, ...each }) {
      await make(oracle, 'h', each);
      const taken = await takeSteps(oracle, steps);
      return { steps: taken.steps, ...(!taken.rejected && { result: await describe(oracle, 'h') }) };
    },
  },
  equivalence: {
    fields: ['name', 'options', 'values'],
    async answer(oracle, { options, values }) {
      await make(oracle, 'h', { options, recorded: [] });
      const { bucketCount, subBucketCount, countsArrayLength } = await oracle.ask('summary', 'h');
      const rows = await oracle.ask('equivalence', 'h', ...values);
      return { values: rows, bucketCount, subBucketCount, countsArrayLength };
    },
  },
  decoding: {
    fields: ['name', 'decodedInto', 'bytes', 'compressed'],
    async answer(oracle, { bytes, compressed, decodedInto = 8 }) {
      try {
        if (bytes === undefined) await oracle.ask('decompress', 'h', compressed, decodedInto);
        else await oracle.ask('decode', 'h', bytes, decodedInto);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
        return { rejected: error.message };
      }
      const rows = await oracle.ask('iterate', 'h', 'recorded');
      return {
        result: await oracle.ask('summary', 'h'),
        recorded: rows.map(([value, , count]) => [value, count]),
        v2: await oracle.ask('encode', 'h'),
      };
    },
  },
  'double-histograms': {
    fields: [...RECORDING, 'steps', 'iterations'],
    async answer(oracle, { steps = [], iterations = [], ...each }) {
      await make(oracle, 'h', each);
      const taken = await takeSteps(oracle, steps);
      const iterated = await iterateAll(oracle, 'h', iterations);
      const answered = {
        ...(steps.length > 0 && { steps: taken.steps }),
        ...(iterations.length > 0 && { iterations: iterated }),
      };
      if (taken.rejected) return answered;
      return {
        ...answered,
        result: await describe(oracle, 'h'),
        atValues: await oracle.ask('atValues', 'h', 0, 0.25, 1, 1.5, 10, 999.9),
        equivalence: await oracle.ask('equivalence', 'h', 0.25, 1, 1.5, 10, 999.9),
        recordedValues: await iterate(oracle, 'h', 'recorded'),
        percentileRows: await iterate(oracle, 'h', 'percentiles', 2),
        text: await oracle.ask('text', 'h', 2, 1, false),
        compressed: await oracle.ask('compress', 'h'),
      };
    },
  },
};

/** The questions in lists whose items have the answers too. */
const QUESTIONS = {
  steps: ({ after: _, rejected: __, ...step }) => step,
  iterations: ({ kind, arguments: args }) => [kind, ...args],
  atValues: ([value]) => value,
  values: ([value]) => value,
};

/** A case of a fixture without its answers. */
export function questionOf({ fields }, each) {
  const asked = Object.entries(each).filter(([field]) => fields.includes(field));
  return Object.fromEntries(
    asked.map(([field, value]) => [
      field,
      field in QUESTIONS ? value.map((item) => QUESTIONS[field](item)) : value,
    ]),
  );
}
