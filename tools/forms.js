// Writes what hdrscope reads and writes into docs/formats: the table of forms, and the errors of all conversions.
//
//     npm run forms              # writes; -- --check compares

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from './lib/import-source.js';
import { fillMarkers, readMarkers } from './lib/markers.js';
import { workspaceRoot } from './lib/workspace.js';

/** @typedef {import('../packages/cli/src/inputs/form.ts').Form} Form */

/** @type {{ FORMS: readonly Form[] }} */
const { FORMS } = await importSource('cli/src/inputs/form-table.ts');
/** @type {typeof import('../packages/cli/src/inputs/forms.ts')} */
const { WRITTEN_FORMS } = await importSource('cli/src/inputs/forms.ts');
/** @type {typeof import('../packages/cli/src/program.ts')} */
const { runCli } = await importSource('cli/src/program.ts');

// Tables of forms.

/** @param {readonly string[]} titles @param {readonly (readonly string[])[]} rows @param {string} [alignment] */
function formatTable(titles, rows, alignment = '---') {
  const line = `|${titles.map((_, at) => (at === 0 ? '---' : alignment)).join('|')}|\n`;
  const [head = '', ...body] = [titles, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return [head, line, ...body].join('').replaceAll('|  |', '| |');
}

/** @param {Form} form The form as a cell: its name, what it is, and a link to its page. */
function describeForm({ name, what, page }) {
  return `\`${name}\`: ${page === undefined ? what : `[${what}](${page})`}`;
}

/** @param {readonly string[]} [names] Commands, and sources or sinks of the agent. */
function listCommands(names = []) {
  return names
    .map((name) => {
      const [, ofAgent] = /^run: (.+)$/.exec(name) ?? [];
      return ofAgent === undefined ? `\`${name}\`` : `agent \`${ofAgent}\``;
    })
    .join(', ');
}

/** The columns of the page, each with its cell of a form. @type {readonly (readonly [title: string, cell: (form: Form) => string])[]} */
const COLUMNS = [
  ['form', describeForm],
  ['made by', ({ madeBy = '' }) => madeBy],
  ['read by', ({ reads }) => listCommands(reads)],
  ['written by', ({ writes }) => listCommands(writes)],
  ['shown by its content', ({ isStated, needs }) => (isStated ? 'no' : needs ? `with \`${needs}\`` : 'yes')],
  ['percentiles', ({ exact }) => exact],
  ['failed requests', ({ failed = '' }) => failed],
  ['instead', ({ reads, cure = '' }) => (reads.length === 0 ? cure : '')],
  ['test', ({ test }) => `[test](../../${test})`],
];

/** @param {readonly Form[]} forms A group. Columns that are empty for all of them are left out. */
function formatGroup(forms) {
  const columns = COLUMNS.filter(([, cell]) => forms.some((form) => cell(form) !== ''));
  return formatTable(
    columns.map(([title]) => title),
    forms.map((form) => columns.map(([, cell]) => cell(form))),
  );
}

const missing = FORMS.filter(({ test }) => !existsSync(join(workspaceRoot, test)));
if (missing.length > 0)
  throw new Error(`tests that do not exist: ${missing.map(({ test }) => test).join(', ')}`);
const groups = [...new Set(FORMS.map(({ group }) => group))];
const allForms = groups
  .map((group) => `### ${group}\n\n${formatGroup(FORMS.filter((form) => form.group === group))}`)
  .join('\n');

const converted = FORMS.filter(({ convert }) => convert !== undefined);
const formsOfConvert = formatTable(
  ['`--from`, `--to`', 'form', 'read', 'written', 'slots that are written'],
  converted.map(({ convert, needs, slots = '', ending, ...form }) => [
    `\`${convert}\``,
    form.page === undefined
      ? form.what
      : `[${form.what}](${form.page.startsWith('#') ? `README.md${form.page}` : form.page})`,
    needs === undefined ? 'yes' : `with \`${needs}\``,
    WRITTEN_FORMS.some((one) => one === convert)
      ? ending === undefined
        ? 'yes'
        : `yes (\`${ending}\`)`
      : 'no',
    slots.startsWith('--') ? `\`${slots}\`` : slots,
  ]),
);

// The errors of conversions.

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-forms-'));

/** @param {readonly string[]} args @returns {Promise<string>} What the command prints. */
async function hdrscope(args) {
  let printed = '';
  /** @param {string} text */
  const write = async (text) => {
    printed += text;
  };
  const output = { isTerminal: false, columns: undefined, write };
  const io = {
    ...{ stdout: output, stderr: output, stdin: (async function* () {})(), environment: {} },
    ...{ signal: new AbortController().signal, monotonicMs: () => 0 },
  };
  if ((await runCli(args, io)) !== 0) throw new Error(`${args.join(' ')}: ${printed}`);
  return printed;
}

/** What is known of a form that is read: the first bucket of Prometheus has no lower bound. @type {Readonly<Record<string, readonly string[]>>} */
const FACTS = { prometheus: ['--min', '0.05', '--max', '20'] };

/** @param {string} from @param {string} file @param {string} to */
async function convert(from, file, to) {
  const output = join(folder, `${from}-${to}`);
  const printed = await hdrscope([
    ...['convert', join(folder, file), '--from', from, '--to', to, '-o', output],
    ...(FACTS[from] ?? []),
  ]);
  const [, error = ''] = /at most ([\d.e-]+) %/.exec(printed) ?? [];
  return `${error} %`;
}

/** Numbers from 0.1 to 10, each a thousandth of an integer. */
const values = Array.from({ length: 2000 }, (_, at) => (0.1 * 100 ** (at / 1999)).toFixed(3));
writeFileSync(join(folder, 'values.txt'), `${values.join('\n')}\n`);
await hdrscope([
  ...['record', join(folder, 'values.txt'), '--unit', 's', '--json', '-o', join(folder, 'values.json')],
]);
const written = WRITTEN_FORMS;
for (const form of written) await convert('json', 'values.json', form);
const rows = [];
for (const from of written) {
  const errors = [];
  for (const to of written) errors.push(await convert(from, `json-${from}`, to));
  rows.push([from, ...errors]);
}
rmSync(folder, { recursive: true });
const errors = formatTable(['from \\ to', ...written], rows, '---:');

// The pages.

/** @type {readonly (readonly [path: string, name: string, text: string])[]} */
const REGIONS = [
  ['docs/formats/README.md', 'forms', allForms],
  ['docs/formats/conversions.md', 'forms', formsOfConvert],
  ['docs/formats/conversions.md', 'errors', errors],
];
for (const [path, name, text] of REGIONS) {
  if (readMarkers(path, name) === text.trim()) continue;
  if (!process.argv.includes('--check')) fillMarkers(path, name, text.trim());
  else {
    console.error(
      `${path} differs from the table of forms, or from what hdrscope convert prints: npm run forms`,
    );
    process.exitCode = 1;
  }
}
