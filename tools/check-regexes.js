/**
 * Checks that no regular expression in the sources of the packages takes more than linear time: `npm run check` runs it. A
 * foreign text must not be able to stop a process. Every expression is run on texts made from its own characters, of two
 * lengths, in a child process.
 *
 * `node tools/check-regexes.js [--all]`: `--all` lists what is allowed to be slow too.
 */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPositions, literalText, parse, walk } from './lib/syntax.js';
import { isMain, listFiles, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {import('./lib/regex-measure.js').Slow} Slow
 *
 * @typedef {object} Regex
 * @property {string} file Relative to the workspace.
 * @property {number} line
 * @property {string} [source] `undefined` when it is computed.
 * @property {string} flags
 * @property {boolean} everywhere Whether it looks for all matches in a text.
 *
 * @typedef {object} Finding
 * @property {string} where
 * @property {string} name The file and the expression, as the list of allowed ones has them.
 * @property {string} message
 */

/**
 * The expressions that may be slow or are computed, and why: `FILE /EXPRESSION/`, or `FILE computed`.
 *
 * @type {Record<string, string>}
 */
const ALLOWED = {
  'packages/agent/src/config/secrets.ts computed':
    'has the secrets of a configuration as alternatives, without repetition',
  'packages/ceph/src/dump/format.ts computed': 'is one class of characters, without repetition',
  "packages/demo/src/options.ts /^Option '(--[\\w-]+).*' argument (?:is ambiguous|missing)/":
    'sees messages of Node.js only',
  'packages/ebpf/src/exporter-config/expression.ts computed':
    'is the expression of a configuration, whose time has a limit',
  'packages/interval-log/src/sink/archive.ts computed':
    'has the name of our own log, between parts that share no characters',
  'packages/kit/src/quantity.ts computed':
    'has the units of this file; `npm run fuzz -- durations sizes` gives it foreign texts',
  'packages/kit/src/wildcard.ts computed':
    'has the wildcards of a view or of a configuration, which the application or its operator writes',
  'packages/otel/src/register/route-patterns.ts computed':
    'has the segments of a path, which share no character with the slashes between them',
  'packages/prometheus/src/migrate/generated/example-texts.ts computed':
    'is the expression of a query, whose time has a limit where it repeats a group or many parts',
  'packages/plot/src/render/svg.ts /<style\\b[^>]*>.*?<\\/style>/gs':
    'sees the drawing of ECharts, in which foreign texts have no `<`',
};

/** An expression that needs as long as this for one text is slow, whatever else happens on the machine. */
const LIMIT_MS = 20_000;

/**
 * @param {string} source The text of a module.
 * @param {string} file
 * @returns {Regex[]}
 */
export function findRegexes(source, file) {
  const program = parse(source, file);
  const positions = createPositions(source);
  /** @type {Regex[]} */
  const found = [];
  const splitters = new Set();
  walk(program, (node) => {
    if (node.type === 'CallExpression' && node.callee.property?.value === 'split') {
      splitters.add(node.arguments[0]?.expression);
    }
    const line = () => positions.line(node.span.start);
    if (node.type === 'RegExpLiteral') {
      const everywhere = node.flags.includes('g') || splitters.has(node);
      found.push({ file, line: line(), source: node.pattern, flags: node.flags, everywhere });
    } else if (/^(?:New|Call)Expression$/.test(node.type) && node.callee.value === 'RegExp') {
      const [pattern, flags] = (node.arguments ?? []).map((/** @type {any} */ one) =>
        literalText(one.expression),
      );
      const given = pattern === undefined ? {} : { source: pattern };
      found.push({
        file,
        line: line(),
        ...given,
        flags: flags ?? '',
        everywhere: flags?.includes('g') ?? false,
      });
    }
  });
  return found;
}

/**
 * @param {string} root
 * @returns {Regex[]} All of ``packages/NAME/src``.
 */
export function listRegexes(root) {
  return listProjects(root)
    .filter(({ path }) => path.startsWith('packages/'))
    .flatMap(({ dir, path }) =>
      listFiles(join(dir, 'src'), /\.[cm]?[jt]sx?$/).flatMap((file) =>
        findRegexes(readFileSync(join(dir, 'src', file), 'utf8'), `${path}/src/${file}`),
      ),
    );
}

/**
 * @param {Regex} regex
 * @returns {string} Its name on the list of allowed ones.
 */
export function nameOf({ file, source, flags }) {
  return `${file} ${source === undefined ? 'computed' : `/${source}/${flags}`}`;
}

/**
 * @param {readonly Regex[]} regexes
 * @param {number} [limitMs]
 * @returns {Promise<Finding[]>}
 */
export async function findSlow(regexes, limitMs = LIMIT_MS) {
  /** @type {Finding[]} */
  const findings = [];
  const child = new Measurer(limitMs);
  try {
    for (const regex of regexes) {
      const message =
        regex.source === undefined
          ? 'is computed, so nothing can check it: write it out, or list it with the reason why it is linear'
          : await child.complaint({ source: regex.source, flags: regex.flags, everywhere: regex.everywhere });
      const name = nameOf(regex);
      if (message !== undefined) findings.push({ where: `${regex.file}:${regex.line}`, name, message });
    }
  } finally {
    child.end();
  }
  return findings;
}

/** A child process that measures. One that hangs or dies is replaced. */
class Measurer {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #limitMs;

  /** @param {number} limitMs */
  constructor(limitMs) {
    this.#limitMs = limitMs;
  }

  /**
   * @param {import('./lib/regex-measure.js').Question} question
   * @returns {Promise<string | undefined>}
   */
  async complaint(question) {
    this.#child ??= fork(fileURLToPath(new URL('./lib/regex-measure.js', import.meta.url)));
    const child = this.#child;
    /** @type {Slow | undefined | 'dead' | 'late'} */
    const answer = await new Promise((resolve) => {
      const timer = setTimeout(() => resolve('late'), this.#limitMs);
      child.removeAllListeners();
      child.once('message', (/** @type {{ slow?: Slow }} */ { slow }) => {
        clearTimeout(timer);
        resolve(slow);
      });
      child.once('exit', () => {
        clearTimeout(timer);
        resolve('dead');
      });
      child.send(question);
    });
    if (answer === undefined) return undefined;
    if (typeof answer === 'object') {
      const { start, part, end, shortMs, longMs } = answer;
      const times = `${shortMs.toFixed(1)} ms for 3,000 characters and ${longMs.toFixed(0)} ms for 12,000`;
      return `takes ${times}: ${JSON.stringify(start)}, then ${JSON.stringify(part)} repeated, then ${JSON.stringify(end)}`;
    }
    this.end();
    return answer === 'dead' ? 'ends the process' : `takes longer than ${this.#limitMs / 1000} s`;
  }

  end() {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

/** @param {Record<string, string>} allowed */
async function main(allowed) {
  const regexes = listRegexes(workspaceRoot);
  const names = new Set(regexes.map(nameOf));
  const findings = await findSlow(regexes);
  const refused = findings.filter(({ name }) => !Object.hasOwn(allowed, name));
  for (const { where, name, message } of process.argv.includes('--all') ? findings : refused) {
    console.log(`${where}: ${name.slice(name.indexOf(' ') + 1)} ${message}`);
  }
  const stale = Object.keys(allowed).filter((name) => !names.has(name));
  for (const name of stale)
    console.log(`the list of allowed expressions has one that no longer exists: ${name}`);
  const allowedCount = findings.length - refused.length;
  console.log(`${regexes.length} regular expressions, ${refused.length} slow, ${allowedCount} allowed to be`);
  process.exitCode = refused.length + stale.length === 0 ? 0 : 1;
}

if (isMain(import.meta)) await main(ALLOWED);
