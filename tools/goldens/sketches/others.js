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
