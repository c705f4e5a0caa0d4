/**
 * `npm run readers -- [FORM...]`: how long each reader of a form takes beside packages of npm that read the same bytes, in one process. The
 * readers take turns, and the median of 11 turns counts; all must find the same.
 * `node tools/peers/install.js sketches-js form-readers` brings the packages.
 */
import { makeCases } from './cases.js';

const TURNS = 11;
const WARM_UPS = 3;

/** @param {import('./cases.js').Case} one */
async function measure({ form, readers, bytes }) {
  const names = Object.keys(readers);
  /** @type {Map<string, number[]>} */
  const times = new Map(names.map((name) => [name, []]));
  const found = new Map();
  for (let turn = 0; turn < WARM_UPS + TURNS; turn++) {
    for (const [name, read] of Object.entries(readers)) {
      const before = performance.now();
      found.set(name, await read());
      if (turn >= WARM_UPS) times.get(name)?.push(performance.now() - before);
    }
  }
  const [first] = found.values();
  for (const [name, value] of found) {
    if (Math.abs(value - first) > 1e-6 * first)
      throw new Error(`${form}: ${name} finds ${value}, not ${first}`);
  }
  return names.map((name) => {
    const median = times.get(name)?.sort((a, b) => a - b)[TURNS >> 1] ?? Number.NaN;
    return { name, median, rate: bytes / 1e6 / (median / 1000) };
  });
}

const wanted = process.argv.slice(2);
console.log('| form | input | reader | ms | MB/s |\n|---|---|---|--:|--:|');
for (const one of await makeCases()) {
  if (wanted.length > 0 && !wanted.some((text) => one.form.includes(text))) continue;
  for (const [at, { name, median, rate }] of (await measure(one)).entries()) {
    const size = `${one.input}, ${(one.bytes / 1e6).toFixed(1)} MB`;
    console.log(
      `| ${at === 0 ? `${one.form} | ${size}` : '|'} | ${name} | ${median.toFixed(1)} | ${rate.toFixed(1)} |`,
    );
  }
}
