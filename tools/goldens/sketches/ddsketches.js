import { createRequire } from 'node:module';
import { join } from 'node:path';
import { askPeer, makeValues, pathOfPeer } from './values.js';

/** The fields of a request that has the same meaning for each library. @typedef {{ mapping: string, store: string, accuracy: number, values: [number, number][], quantiles: number[] }} Request */

const QUANTILES = [0, 0.25, 0.5, 0.9, 0.99, 1];

const LATENCIES = makeValues({ seed: 1, n: 20, least: 0.01, decades: 3 });
/** @type {Record<string, [number, number][]>} */
const VALUES = {
  latencies: LATENCIES,
  'zeros and negative values': [
    [0, 3],
    ...makeValues({ seed: 2, n: 8, least: 0.01, decades: 3 }),
    ...makeValues({ seed: 3, n: 6, least: 0.5, decades: 1 }).map(
      ([value, count]) => /** @type {[number, number]} */ ([-value, count]),
    ),
  ],
  'powers of two': Array.from({ length: 8 }, (_, at) => [2 ** (2 * at - 6), at + 1]),
  'large counts': [
    [12, 2 ** 40],
    [13.5, 2 ** 52],
  ],
  'one value': [[0.25, 1]],
};

/** @param {readonly string[]} mappings @param {readonly string[]} stores */
function listRequests(mappings, stores) {
  const requests = [];
  const more = { quantiles: QUANTILES, accuracy: 0.05 };
  for (const store of stores)
    requests.push({ ...more, name: 'latencies', mapping: 'NONE', store, values: LATENCIES });
  for (const mapping of mappings)
    for (const [name, values] of Object.entries(VALUES))
      requests.push({ ...more, name, mapping, store: 'dense', accuracy: 0.04, values });
  return requests;
}

const ALL_STORES = ['dense', 'sparse', 'collapsing', 'paginated'];
const DENSE_STORES = ['dense', 'collapsing'];

/** Vectors of all libraries, with each mapping and store that they have. */
export function makeDdsketches() {
  const go = listRequests(['NONE', 'LINEAR', 'CUBIC'], ALL_STORES);
  const java = listRequests(['NONE', 'LINEAR', 'QUADRATIC', 'CUBIC'], ALL_STORES);
  const others = listRequests(['NONE', 'LINEAR', 'CUBIC'], DENSE_STORES);
  const ask = (/** @type {Request} */ request) => JSON.stringify({ do: 'make', ...request });
  const goAnswers = askPeer('sketches-go', go.map(ask));
  const javaAnswers = askPeer('sketches-java', java.map(formatLine));
  return [
    ...makeVectors('sketches-go', 'sketches-go 1.4.8', go, goAnswers),
    ...makeVectors('sketches-java', 'sketches-java 0.8.3', java, javaAnswers),
    ...makeVectors('sketches-js', '@datadog/sketches-js 2.1.1', others, others.map(makeInJavaScript)),
    ...makeVectors('sketches-py', 'ddsketch 3.0.1', others, askPeer('sketches-python', others.map(ask))),
  ];
}

/** @param {string} writer @param {string} madeBy @param {readonly (Request & { name: string })[]} requests @param {readonly any[]} answers */
function makeVectors(writer, madeBy, requests, answers) {
  return requests.flatMap(({ name, mapping, store, accuracy, values }, at) => {
    const { bytes, encoded, slots, quantiles } = answers[at];
    const facts = { values, slots, quantiles: QUANTILES.map((quantile, i) => [quantile, quantiles[i]]) };
    const title = `${name}, ${mapping}, ${store}, accuracy ${accuracy}`;
    const vector = { form: 'ddsketch', writer, madeBy, name: title, input: bytes, ...facts };
    // In this encoding, sketches-go writes the bins of a sparse store in a random order.
    if (encoded === undefined || store === 'sparse') return [vector];
    return [vector, { ...vector, form: 'ddsketch-binary', input: encoded }];
  });
}

/** The request of sketches-java. @param {Request} request */
function formatLine({ mapping, store, accuracy, values, quantiles }) {
  return [mapping, store, accuracy, values.map((one) => one.join(':')).join(','), quantiles.join(',')].join(
    ' ',
  );
}

/** @param {Request} request */
function makeInJavaScript({ mapping, store, accuracy, values, quantiles }) {
  const load = createRequire(join(pathOfPeer('sketches-js'), 'index.js'));
  const { DDSketch, ...mappings } = {
    ...load('@datadog/sketches-js/dist/ddsketch/DDSketch.js'),
    ...load('@datadog/sketches-js/dist/ddsketch/mapping/index.js'),
  };
  const { DenseStore, CollapsingLowestDenseStore } = load(
    '@datadog/sketches-js/dist/ddsketch/store/index.js',
  );
  const Mapping =
    mapping === 'NONE'
      ? mappings.LogarithmicMapping
      : mapping === 'LINEAR'
        ? mappings.LinearlyInterpolatedMapping
        : mappings.CubicallyInterpolatedMapping;
  const makeStore = () => (store === 'collapsing' ? new CollapsingLowestDenseStore(64) : new DenseStore());
  const used = new Mapping(accuracy);
  // Its base class, which takes these, is not exported.
  const sketch = Object.assign(new DDSketch(), {
    mapping: used,
    store: makeStore(),
    negativeStore: makeStore(),
  });
  for (const [value, count] of values) sketch.accept(value, count);
  const slots = sketch.zeroCount > 0 ? [[-used.minPossible, used.minPossible, sketch.zeroCount]] : [];
  for (const [bins, sign] of [
    [sketch.store, 1],
    [sketch.negativeStore, -1],
  ]) {
    bins.bins.forEach((/** @type {number} */ count, /** @type {number} */ at) => {
      if (count === 0) return;
      const key = bins.offset + at - used._offset;
      const [lower, upper] = [used._powGamma(key - 1), used._powGamma(key)];
      slots.push(sign > 0 ? [lower, upper, count] : [-upper, -lower, count]);
    });
  }
  return {
    bytes: Buffer.from(sketch.toProto()).toString('base64'),
    slots: slots.sort((a, b) => a[0] - b[0]),
    quantiles: quantiles.map((quantile) => sketch.getValueAtQuantile(quantile)),
  };
}
