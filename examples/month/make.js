/**
 * `node examples/month/make.js [FOLDER]`: writes a month of a web shop as a history, to try the commands on: 8 series, a row for each of
 * them and each minute of 30 days, about 345,000 rows. The same seed makes the same rows.
 *
 * On 21 October from 14:10 to 15:00 UTC, one search in twelve of the region `eu` takes 20 times as long. Somebody has to find that.
 */
import { join } from 'node:path';
import { slotOfTick, writeRows } from '@hdrscope/history';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START_MS = Date.UTC(2026, 9, 1);
const DAYS = 30;
const INCIDENT = {
  fromMs: Date.UTC(2026, 9, 21, 14, 10),
  toMs: Date.UTC(2026, 9, 21, 15, 0),
  share: 1 / 12,
  factor: 20,
};

/** Bits of two significant digits. */
const BITS = 7;

/** Requests a minute on an afternoon, the median in milliseconds, and the standard deviation of the logarithm. */
const ROUTES = [
  { route: '/', perMinute: 60, medianMs: 4, deviation: 0.35 },
  { route: '/search', perMinute: 40, medianMs: 22, deviation: 0.45 },
  { route: '/cart', perMinute: 20, medianMs: 9, deviation: 0.35 },
  { route: '/checkout', perMinute: 8, medianMs: 45, deviation: 0.4 },
];
const REGIONS = ['eu', 'us'];

const SERIES = ROUTES.flatMap((route) =>
  REGIONS.map((region) => ({ ...route, region, attributes: { 'http.route': route.route, region } })),
);

/** Numbers in [0, 1), always the same ones. Source: https://en.wikipedia.org/wiki/Linear_congruential_generator (Numerical Recipes) */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = createRandom(22);

function normal() {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** People sleep, and buy less on Sundays. */
function loadAt(timeMs) {
  const hour = (timeMs % DAY_MS) / (60 * MINUTE_MS);
  const ofDay = 0.25 + 0.75 * Math.max(0, Math.sin(((hour - 5) / 18) * Math.PI));
  return ofDay * (new Date(timeMs).getUTCDay() === 0 ? 0.7 : 1);
}

/** The row of a series for a minute. */
function rowOf({ perMinute, medianMs, deviation, route, region, attributes }, startMs, sequence) {
  const isIll =
    route === '/search' && region === 'eu' && startMs >= INCIDENT.fromMs && startMs < INCIDENT.toMs;
  const count = Math.max(1, Math.round(perMinute * loadAt(startMs) * (0.8 + 0.4 * random())));
  const counts = new Map();
  let [sum, min, max] = [0, Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < count; i++) {
    const slow = isIll && random() < INCIDENT.share ? INCIDENT.factor : 1;
    const ticks = Math.round(medianMs * 1e6 * slow * Math.exp(deviation * normal()));
    const slot = slotOfTick(ticks, BITS);
    counts.set(slot, (counts.get(slot) ?? 0) + 1);
    [sum, min, max] = [sum + ticks, Math.min(min, ticks), Math.max(max, ticks)];
  }
  const k = [...counts.keys()].sort((a, b) => a - b);
  return {
    metric: 'http.server.request.duration',
    unit: 's',
    attributes,
    startMs,
    endMs: startMs + MINUTE_MS,
    producer: 'shop 0123456789abcdef',
    sequence,
    count,
    sum,
    min,
    max,
    scale: 1e-9,
    bits: BITS,
    k,
    c: k.map((slot) => counts.get(slot)),
    w: [],
    version: 2,
  };
}

const folder = process.argv[2] ?? 'month';
let sequence = 0;
for (let day = 0; day < DAYS; day++) {
  const dayMs = START_MS + day * DAY_MS;
  const rows = [];
  for (let minute = 0; minute < DAY_MS / MINUTE_MS; minute++) {
    for (const series of SERIES) rows.push(rowOf(series, dayMs + minute * MINUTE_MS, sequence++));
  }
  const name = new Date(dayMs).toISOString().slice(0, '2026-10-01'.length);
  await writeRows(join(folder, `day=${name}`, `${dayMs}-shop-${day}.parquet`), rows);
}
console.log(`${sequence} rows of ${DAYS} days are in ${folder}`);
