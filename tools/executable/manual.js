/** The pages of the manual: one for the program, and one for each of its commands and groups, made of what `--help` prints. */
import { importSource } from '../lib/import-source.js';

/** @type {typeof import('../../packages/cli/src/program.ts')} */
const { HDRSCOPE, runCli } = await importSource('cli/src/program.ts');
/** @type {typeof import('../../packages/cli/src/commands/completion/index.ts')} */
const { commandTree } = await importSource('cli/src/commands/completion/index.ts');

/** @returns {Promise<{ name: string, text: string }[]>} */
export async function formatManual() {
  const nodes = await commandTree(HDRSCOPE);
  const groups = nodes.filter(({ commands }) => commands.length > 0);
  const summaries = new Map(
    groups.flatMap(({ path, commands }) => commands.map(({ name, summary }) => [`${path} ${name}`, summary])),
  );
  return Promise.all(
    nodes.map(async ({ path, commands }) => ({
      name: `${namePage(path)}.1`,
      text: formatPage({
        path,
        summary: summaries.get(path) ?? 'HDR histograms: percentiles of anything that takes time',
        help: await printHelp(path),
        related: [
          ...(path === 'hdrscope' ? [] : [findParent(path)]),
          ...commands.map(({ name }) => `${path} ${name}`),
        ],
      }),
    })),
  );
}

/** @param {string} path A command as people type it. */
function namePage(path) {
  return path.replaceAll(' ', '-');
}

/** @param {string} path */
function findParent(path) {
  return path.slice(0, path.lastIndexOf(' '));
}

/** @param {string} path */
async function printHelp(path) {
  let text = '';
  const output = {
    isTerminal: false,
    // Lines of a page have a margin.
    columns: 72,
    rows: undefined,
    write: async (/** @type {string} */ part) => {
      text += part;
    },
  };
  await runCli([...path.split(' ').slice(1), '--help'], {
    stdout: output,
    stderr: output,
    stdin: (async function* () {})(),
    environment: {},
    signal: new AbortController().signal,
    endSlowly: () => {},
    monotonicMs: () => 0,
  });
  return text;
}

/**
 * @param {{ path: string, summary: string, help: string, related: readonly string[] }} page
 */
function formatPage({ path, summary, help, related }) {
  const references = related.map((other) => `.BR ${namePage(other)} (1)`).join(' ,\n');
  return `.TH ${quoted(namePage(path).toUpperCase())} 1 "" hdrscope
.SH NAME
${namePage(path)} \\- ${escaped(summary)}
.SH DESCRIPTION
.nf
${help.trimEnd().split('\n').map(escapedLine).join('\n')}
.fi
.SH SEE ALSO
${references}
`;
}

/** @param {string} text */
function quoted(text) {
  return `"${escaped(text)}"`;
}

/** A line that is printed as it is. @param {string} line */
function escapedLine(line) {
  // A dot or an apostrophe at the start would be a request.
  return /^[.']/.test(line) ? `\\&${escaped(line)}` : escaped(line);
}

/** @param {string} text */
function escaped(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}
