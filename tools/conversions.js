// Writes the matrix of conversions to docs/formats/conversions.md: the same values in each form, and what hdrscope convert says of each pair.
//
//     npm run conversions              # writes; --check compares

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource, SOURCE_ARGUMENTS } from './lib/import-source.js';
import { workspaceRoot } from './lib/workspace.js';

const BEGIN = '<!-- made by npm run conversions -->\n\n';
const END = '\n<!-- end -->\n';
const PAGE = join(workspaceRoot, 'docs/formats/conversions.md');

/** @type {{ FORMS: readonly { name: string, isRead: boolean, isWritten: boolean }[] }} */
const { FORMS } = await importSource('cli/src/commands/convert/forms.ts');
const READ = FORMS.filter(({ isWritten, isRead }) => isWritten && isRead).map(({ name }) => name);
const WRITTEN = FORMS.filter(({ isWritten }) => isWritten).map(({ name }) => name);
const folder = mkdtempSync(join(tmpdir(), 'hdrscope-conversions-'));

/** @param {readonly string[]} args */
function hdrscope(args) {
  const main = join(workspaceRoot, 'packages/cli/src/main.ts');
  return spawnSync(process.execPath, [...SOURCE_ARGUMENTS, main, ...args], { cwd: folder, encoding: 'utf8' });
}

/** What is known of a form that is read. */
const STATED = new Set(['ddsketch', 'ddsketch-js', 'ddsketch-py']);
/** The first bucket of Prometheus has no lower bound. */
const FACTS = { prometheus: ['--min', '0.05', '--max', '20'] };

/** Numbers from 0.1 to 10, each a thousandth of an integer. */
const values = Array.from({ length: 2000 }, (_, at) => (0.1 * 100 ** (at / 1999)).toFixed(3));
writeFileSync(join(folder, 'values.txt'), `${values.join('\n')}\n`);
const recorded = hdrscope(['record', 'values.txt', '--unit', 's', '--json', '-o', 'values.json']);
if (recorded.status !== 0) throw new Error(recorded.stderr);

/** @param {string} from @param {string} file @param {string} to */
function convert(from, file, to) {
  const stated = STATED.has(from) ? ['--from', from] : [];
  const facts = FACTS[/** @type {keyof typeof FACTS} */ (from)] ?? [];
  const { status, stdout, stderr } = hdrscope([
    'convert',
    file,
    ...stated,
    ...facts,
    '--to',
    to,
    '-o',
    `${from}-${to}`,
  ]);
  if (status !== 0) throw new Error(`${from} to ${to}: ${stderr}`);
  const [, error = ''] = /at most ([\d.e-]+) %/.exec(stdout) ?? [];
  return `${error} %`;
}

for (const form of READ) convert('json', 'values.json', form);
const rows = READ.map((from) => [from, ...WRITTEN.map((to) => convert(from, `json-${from}`, to))]);
rmSync(folder, { recursive: true });

const head = `| from \\ to | ${WRITTEN.join(' | ')} |\n|---|${WRITTEN.map(() => '---:').join('|')}|\n`;
const table = head + rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
const page = readFileSync(PAGE, 'utf8');
const [before = ''] = page.split(BEGIN);
const [, after = ''] = page.split(END);
const text = `${before}${BEGIN}${table}${END}${after}`;
if (!process.argv.includes('--check')) writeFileSync(PAGE, text);
else if (text !== page) {
  console.error('docs/formats/conversions.md differs from what hdrscope convert says: npm run conversions');
  process.exitCode = 1;
}
