/**
 * The output of Java's `HistogramLogProcessor` for the logs and arguments of the fixture.
 *
 *   node tools/goldens/processor.js           writes it
 *   node tools/goldens/processor.js --check   exits with 1 when Java prints something else for the committed logs
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findJar, inJavaHome, MADE_BY, OracleUnavailable } from './oracle.js';

const FIXTURES = fileURLToPath(
  new URL('../../packages/interval-log/test/processor/fixtures/', import.meta.url),
);
const EXPECTED = join(FIXTURES, 'processor.json');

try {
  const jar = findJar();
  process.exitCode = process.argv.includes('--check') ? check(jar) : write(jar);
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  console.log(`processor: skipped, ${error.message}`);
}

function write(jar) {
  const runs = readRuns().map(({ log, args }) => ({ log, args, printed: printed(jar, log, args) }));
  const text = formatted(runs);
  writeFileSync(EXPECTED, text);
  console.log(`processor: ${runs.length} runs, ${text.length} bytes`);
  return 0;
}

function readRuns() {
  const { runs } = JSON.parse(readFileSync(EXPECTED, 'utf8'));
  if (runs.length === 0) throw new Error('processor.json has no runs');
  return runs;
}

function check(jar) {
  const runs = readRuns();
  const different = runs.filter(
    ({ log, args, printed: known }) => JSON.stringify(printed(jar, log, args)) !== JSON.stringify(known),
  );
  for (const { log, args } of different)
    console.error(`processor: Java prints something else for ${log} ${args.join(' ')}`);
  if (different.length === 0) console.log(`processor: ${runs.length} runs match the output of ${MADE_BY}`);
  return different.length === 0 ? 0 : 1;
}

/** The output of -listtags, or the files that a run writes, by the ends of their names. */
function printed(jar, log, args) {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-processor-'));
  try {
    if (args.includes('-listtags')) return { stdout: lines(run(jar, ['-i', logOf(log), ...args])) };
    const out = join(folder, 'out');
    run(jar, ['-i', logOf(log), '-o', out, ...args]);
    const files = ['', '.hgrm', '.mwp'].filter((ending) => existsSync(out + ending));
    return Object.fromEntries(
      // 2.1.11 prints WindoCount, later versions print WindowCount.
      files.map((ending) => [
        ending,
        lines(readFileSync(out + ending, 'utf8').replace('WindoCount', 'WindowCount')),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(jar, args) {
  const { status, stdout, stderr } = spawnSync(
    inJavaHome('java'),
    [
      '-XX:+UseSerialGC',
      '-Duser.timezone=UTC',
      '-cp',
      jar,
      'org.HdrHistogram.HistogramLogProcessor',
      ...args,
    ],
    { encoding: 'utf8' },
  );
  if (status === null) throw new OracleUnavailable('java does not run');
  if (status !== 0 || stderr !== '') throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

function lines(text) {
  return text.split('\n');
}

function formatted(runs) {
  const head = `"madeBy":${JSON.stringify(MADE_BY)},"regenerate":"node tools/goldens/processor.js"`;
  return `{${head},"runs":[\n${runs.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`;
}

function logOf(name) {
  return join(FIXTURES, `${name}.hlog`);
}
