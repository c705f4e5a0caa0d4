/** Numbers of a text: the whole command, compared with a command that adds them up. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
 * @returns {Group}
 */
function group(id, title, unit, format) {
  return {
    id,
    title: `the whole process: ${LINES / 1e6} million lines with ${title}`,
    rounds: 5,
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
    },
  };
}

/** @type {readonly Group[]} */
export default [
  group('record-text', 'an integer', 'ns', (ns) => String(Math.round(ns))),
  group('record-text-decimals', 'a decimal', 'ms', (ns) => (ns / 1e6).toFixed(3)),
];
