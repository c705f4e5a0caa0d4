import { askPeer, makeValues } from './values.js';

/** @typedef {[value: number, count: number]} Value */

/** Requests of `tools/peers/sketches-go` for one form. @param {string} form @param {Record<string, Value[]>} lists @param {string} madeBy */
function makeTexts(form, lists, madeBy) {
  const requests = Object.entries(lists);
  const answers = askPeer(
    'sketches-go',
    requests.map(([, values]) => JSON.stringify({ do: form, values })),
  );
  return requests.map(([name, values], at) => {
    const { bytes: input, slots } = answers[at];
    return { form, madeBy, name, input, values, slots };
  });
}

/** Histograms of Envoy. Its program is not at hand: the bins are those of the library that it has in C, here in Go. */
export function makeCircllhists() {
  /** @type {Record<string, Value[]>} */
  const lists = {
    milliseconds: makeValues({ seed: 5, n: 30, least: 1, decades: 4 }),
    fractions: makeValues({ seed: 6, n: 30, least: 1e-6, decades: 5 }),
    'zeros and bounds': [
      [0, 4],
      ...[0.1, 0.28, 0.29, 1, 10, 99, 100, 990].map((value) => /** @type {Value} */ ([value, 2])),
    ],
  };
  return makeTexts('circllhist', lists, 'github.com/circonus-labs/circonusllhist 0.1.3');
}

/** Histograms of VictoriaMetrics. */
export function makeVmranges() {
  /** @type {Record<string, Value[]>} */
  const lists = {
    seconds: makeValues({ seed: 7, n: 30, least: 0.0001, decades: 5 }),
    'beyond all buckets': [
      [0, 2],
      [1e-10, 1],
      [5e18, 3],
    ],
    'powers of ten': Array.from(
      { length: 9 },
      (_, at) => /** @type {Value} */ ([Number(`1e${at - 4}`), at + 1]),
    ),
  };
  return makeTexts('vmrange', lists, 'github.com/VictoriaMetrics/metrics 1.45.0');
}

/** Encoded HdrHistograms. */
export function makeHdrHistograms() {
  const whole = (/** @type {Value[]} */ values) =>
    values.map(([value, count]) => /** @type {Value} */ ([Math.ceil(value), count]));
  /** @type {Record<string, Value[]>} */
  const lists = {
    microseconds: whole(makeValues({ seed: 8, n: 30, least: 100, decades: 5 })),
    'small integers': Array.from({ length: 20 }, (_, at) => /** @type {Value} */ ([at * 13, at + 1])),
    'large counts': [[1000, 2 ** 50]],
  };
  return makeTexts('base64', lists, 'github.com/HdrHistogram/hdrhistogram-go 1.4.0');
}

/** Values of Elasticsearch's field type. Its server is not at hand: this one is in its documentation, as the server printed it. */
export function makeElasticsearchValues() {
  /** @type {Value[]} */
  const values = [
    [0.1, 3],
    [0.2, 7],
    [0.3, 23],
    [0.4, 12],
    [0.5, 6],
  ];
  const indices = [-913124641742, -638246734798, -477453466959, -363368827854, -274877906945];
  const counts = values.map(([, count]) => count);
  const input = JSON.stringify({ scale: 38, sum: 16.4, min: 0.1, max: 0.5, positive: { indices, counts } });
  const bound = (/** @type {number} */ index) => 2 ** (index * 2 ** -38);
  const slots = indices.map((index, at) => [bound(index), bound(index + 1), counts[at]]);
  const madeBy = 'Elasticsearch, in the reference of TO_EXPONENTIAL_HISTOGRAM';
  return [{ form: 'elasticsearch', madeBy, name: 'five values', input, values, slots }];
}
