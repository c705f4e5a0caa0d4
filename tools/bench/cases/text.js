/** Whole commands: numbers of a text, compared with commands that add them up or find their percentiles, and how long a small answer takes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logFile } from '../logs.js';

/** @import { Group, Setup } from '../types.js' */

const LINES = 10_000_000;
/** Number of distinct lines. The file repeats them. */
const DISTINCT = 1_000_000;
const command = fileURLToPath(import.meta.resolve('hdrscope/package.json')).replace(
  'package.json',
  'bin/hdrscope.js',
);

/**
 * Writes a file with a latency in each line. It exists while this process runs.
 *
 * @param {(ns: number) => string} format
 */
async function numberFile(format) {
  const { latencies } = await import('../values.js');
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'numbers.txt');
  const block = Array.from(latencies(DISTINCT), (ns) => `${format(ns)}\n`).join('');
  for (let lines = 0; lines < LINES; lines += DISTINCT) writeFileSync(file, block, { flag: 'a' });
  return file;
}

/**
 * @param {(ns: number) => string} format
 * @param {(file: string) => readonly [string, ...string[]]} commandLine a command whose last output is the count of the numbers it has read
 * @returns {Setup}
 */
function counting(format, commandLine) {
  return async () => {
    const [program, ...args] = commandLine(await numberFile(format));
    let counted = 0;
    return {
      run(iterations) {
        for (let i = 0; i < iterations; i++) {
          const { status, stdout, error } = spawnSync(program, args, { encoding: 'utf8' });
          if (error) throw new Error(`${program} cannot be run: ${error.message}`);
          if (status !== 0) throw new Error(`${program} ended with ${status}`);
          counted = Number(/"count": (\d+)/.exec(stdout)?.[1]);
        }
      },
      answer: () => counted,
    };
  };
}

/**
 * @param {string} id
 * @param {string} title
 * @param {string} unit
 * @param {(ns: number) => string} format
 * @param {Group['cases']} [others]
 * @returns {Group}
 */
function group(id, title, unit, format, others) {
  return {
    id,
    title: `the whole process: ${LINES / 1e6} million lines with ${title}`,
    rounds: 3,
    agree: 0,
    cases: {
      'hdrscope record': counting(format, (file) => [
        process.execPath,
        command,
        'record',
        '--unit',
        unit,
        '--format',
        'json',
        file,
      ]),
      'awk, which adds them up': counting(format, (file) => [
        'awk',
        '{ s += $1 } END { printf "%s, \\"count\\": %d\\n", s, NR }',
        file,
      ]),
      'DuckDB, exact percentiles': counting(format, (file) => [
        process.execPath,
        '--input-type=module',
        '--eval',
        duckDbProgram(file),
      ]),
      ...others,
    },
  };
}

const PERCENTILES = [50, 90, 99, 99.9];

/** @param {string} file */
const duckDbProgram = (file) => `
  import { DuckDBInstance } from ${JSON.stringify(import.meta.resolve('@duckdb/node-api'))};
  const connection = await (await DuckDBInstance.create()).connect();
  const answer = await connection.runAndReadAll(\`
    SELECT count(*), quantile_cont(v, [${PERCENTILES.map((one) => one / 100).join()}])
    FROM read_csv('${file}', header = false, columns = { 'v': 'DOUBLE' })\`);
  console.log('"count": ' + answer.getRows()[0][0]);
`;

const INTEGER = (/** @type {number} */ ns) => String(Math.round(ns));

/** The least time that a command takes more than Node.js itself. @type {Setup} */
const start = async () => {
  const file = await logFile(10);
  const time = (/** @type {readonly string[]} */ args) => {
    const startMs = performance.now();
    const { status } = spawnSync(process.execPath, args);
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
    return performance.now() - startMs;
  };
  return {
    measure() {
      let [least, leastOfNode] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let i = 0; i < 15; i++) {
        least = Math.min(least, time([command, 'log', 'summary', file]));
        leastOfNode = Math.min(leastOfNode, time(['--eval', '0']));
      }
      return (least - leastOfNode) * 1e6;
    },
  };
};

/** @type {readonly Group[]} */
export default [
  {
    id: 'start',
    title: 'the whole process: hdrscope log summary of ten intervals, more than node -e 0',
    rounds: 3,
    agree: null,
    cases: { 'hdrscope log summary': start },
  },
  group('record-text', 'an integer', 'ns', INTEGER, {
    // It takes 14 s.
    'datamash, exact percentiles': counting(INTEGER, (file) => [
      'sh',
      '-c',
      `printf '"count": ' && datamash count 1 ${PERCENTILES.map((one) => `perc:${one} 1`).join(' ')} < ${file}`,
    ]),
  }),
  group('record-text-decimals', 'a decimal', 'ms', (ns) => (ns / 1e6).toFixed(3)),
];
