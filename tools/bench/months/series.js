/** The rows of a service for a month: each series has its own rate and latency, which follow the hour of the day. */
import { Random } from '../../lib/random.js';

/** @import { HistoryRow } from '@hdrscope/history' */

const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 1440;
/** Slots of two digits have so many bits of the mantissa. */
const BITS = 7;
const SCALE = 1e-9;
/** Standard deviation of the logarithm of a latency. With about 50 values, a row has 40 slots. */
const DEVIATION = 0.16;
/** Values of a minute: at night, and how many more at noon. */
const [LEAST_VALUES, MORE_VALUES] = [25, 50];
const FACTORS = lognormalFactors(4096);

/**
 * The rows of some series on one day, a minute each, ordered by series.
 *
 * @param {{ first: number, last: number, startMs: number, day: number }} part Series from `first` to `last`, without the latter.
 * @returns {Promise<HistoryRow[]>}
 */
export async function rowsOfDay({ first, last, startMs, day }) {
  const { slotOfTick } = await import('@hdrscope/history');
  /** @type {HistoryRow[]} */
  const rows = [];
  const counts = new Uint32Array(2 ** 12);
  for (let series = first; series < last; series++) {
    const random = new Random(series, day);
    const attributes = attributesOf(series);
    const median = 2e6 * (1 + series / 20);
    for (let minute = 0; minute < MINUTES_OF_DAY; minute++) {
      const load = (1 - Math.cos((2 * Math.PI * minute) / MINUTES_OF_DAY)) / 2;
      const values = Math.round((LEAST_VALUES + MORE_VALUES * load) * (0.9 + random.below(200) / 1000));
      const now = median * (1 + 0.3 * load);
      const base = slotOfTick(Math.round(now * 0.25), BITS);
      let [sum, min, max, low, high] = [0, Number.POSITIVE_INFINITY, 0, counts.length, 0];
      for (let i = 0; i < values; i++) {
        const tick = Math.round(now * /** @type {number} */ (FACTORS[random.next() & (FACTORS.length - 1)]));
        const place = slotOfTick(tick, BITS) - base;
        counts[place] = /** @type {number} */ (counts[place]) + 1;
        sum += tick;
        if (tick < min) min = tick;
        if (tick > max) max = tick;
        if (place < low) low = place;
        if (place > high) high = place;
      }
      const k = [];
      const c = [];
      for (let place = low; place <= high; place++) {
        const count = /** @type {number} */ (counts[place]);
        if (count === 0) continue;
        k.push(base + place);
        c.push(count);
        counts[place] = 0;
      }
      const start = startMs + minute * MINUTE_MS;
      rows.push({
        metric: 'http.server.request.duration',
        unit: 's',
        attributes,
        startMs: start,
        endMs: start + MINUTE_MS,
        producer: `checkout-${first} 3f2a1b9c3f2a1b9c`,
        sequence: (day * MINUTES_OF_DAY + minute) * (last - first) + series - first,
        count: values,
        sum,
        min,
        max,
        scale: SCALE,
        bits: BITS,
        k,
        c,
        w: [],
        version: 2,
      });
    }
  }
  return rows;
}

/** @param {number} series */
function attributesOf(series) {
  return {
    'http.request.method': series % 2 === 0 ? 'GET' : 'POST',
    'http.response.status_code': series % 7 === 0 ? '500' : '200',
    'http.route': `/api/v1/resource/${series}`,
  };
}

/**
 * Factors that random choices make lognormal values of. One in a thousand is ten times as large as others: a tail.
 *
 * @param {number} count
 */
function lognormalFactors(count) {
  const random = new Random(7);
  const uniform = () => (random.next() + 0.5) / 2 ** 32;
  return Float64Array.from({ length: count }, (_, i) => {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const tail = i % 1000 === 0 ? 10 : 1;
    return tail * Math.exp(DEVIATION * normal);
  });
}
