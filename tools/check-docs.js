/**
 * Checks the doc comment of everything that users can name: `npm run check` runs it.
 *
 * 1. It begins with a sentence. A constructor may do without: its class has the sentence.
 * 2. When the body throws, it has `@throws` with each code that the body names, or says whose errors they are: ``as `add` does``. It says
 *    when each code is thrown, and every code is one of docs/errors.md.
 * 3. A number has its unit in its name, or the comment states the unit, the range, or what is counted.
 * 4. What encodes, decodes, parses or formats names the format or the program whose bytes or text it is.
 *
 * Rules 3 and 4 look for words, so a comment that meets them can still be wrong. They find those that say nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicSymbols, ts } from './lib/public-symbols.js';
import { isMain, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {import('./lib/public-symbols.js').PublicSymbol} PublicSymbol
 * @typedef {import('./lib/public-symbols.js').TsNode} TsNode
 * @typedef {{ where: string, message: string }} Finding
 */

/** Names that end with what the number is. */
const NAMED_UNIT =
  /(?:Ms|Msec|Sec|Ns|Us|Bytes|Bits|Digits|Counts?|Percent|Percentiles?|Index|Slots?|Port|Scale|Columns|Rows|Width|Height)$/;

/** What comments say of numbers. */
const NUMBER_WORDS = [
  // What is counted.
  'how (?:many|often|long|far)|so many|number of|counts?|times|sum',
  // Units.
  'units?|nanoseconds|milliseconds|ms|seconds|minutes|hours|days|bytes|KiB|MiB|bits|permission bits',
  'digits|ticks?|characters|pixels?|columns|rows|width|log2',
  // Shares.
  'percentiles?|quantiles?|probability|relative|share',
  // Places and names.
  'index(?:es)?|slots?|ids?|port|descriptor|version|HTTP status',
  // Ranges.
  'from -?[\\d.]+ to|between -?[\\d.]+ and|at (?:least|most)|above -?\\d|below \\d|integers?|powers? of two',
];
const SAYS_NUMBER = new RegExp(`\\b(?:${NUMBER_WORDS.join('|')})\\b|\\[-?\\d`, 'i');

/** Formats, and programs whose bytes or text are read or written. `people` are readers of texts that no program reads. */
const SAYS_SOURCE =
  /https?:|HdrHistogram|\bV[012]\b|\bCeph\b|`(?:perf|counter) |bpftrace|bpftool|Prometheus|OpenTelemetry|OTLP|Parquet|JSON\b|YAML|Java\b|UCUM|\bpeople\b/;

const CODES = /\bERR_[A-Z_]+/g;

/** A code in a list of codes, without the word `when` or another reason after it. */
const REASONLESS = /(?:HdrscopeError|[;,]|\band|\bor)\s+`(ERR_\w+)`\s*(?=[.;]|$)/g;

/**
 * @param {string} root
 * @returns {string[]} The codes in the table of docs/errors.md.
 */
export function documentedCodes(root) {
  const text = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  return [...text.matchAll(/^\| `(ERR_\w+)`\s*\|/gm)].map(([, code = '']) => code);
}

/**
 * @param {string} doc
 * @returns {string[]} The text before the tags, and the text of each tag that begins a line.
 */
function sectionsOf(doc) {
  return doc.split(/\n(?=@)/);
}

/**
 * @param {PublicSymbol} symbol
 * @returns {boolean} Whether it lacks a comment. A constructor may do without: its class has one.
 */
function isBare({ doc, node }) {
  return doc === '' && !ts.isConstructorDeclaration(node);
}

/**
 * @param {PublicSymbol} symbol
 * @returns {string[]} What is missing.
 */
function missingSentence(symbol) {
  if (isBare(symbol)) return ['has no doc comment'];
  const isTags = symbol.doc.startsWith('@') && !ts.isConstructorDeclaration(symbol.node);
  return isTags ? ['needs a sentence before the tags'] : [];
}

/**
 * @param {PublicSymbol} symbol
 * @param {ReadonlySet<string>} known The codes that exist.
 * @returns {string[]}
 */
function missingErrors({ doc, body }, known) {
  const unknown = [...new Set(doc.match(CODES) ?? [])].filter((code) => !known.has(code));
  const reasonless = sectionsOf(doc)
    .filter((section) => section.startsWith('@throws'))
    .flatMap((section) => [...section.matchAll(REASONLESS)].map(([, code]) => code));
  return [
    ...unknown.map((code) => `names ${code}, which docs/errors.md lacks`),
    ...reasonless.map((code) => `must say when it throws ${code}`),
    ...(body === undefined ? [] : unstatedErrors(doc, thrownIn(body))),
  ];
}

/**
 * @param {string} doc
 * @param {readonly string[]} thrown The expressions that the body throws.
 * @returns {string[]}
 */
function unstatedErrors(doc, thrown) {
  if (thrown.length === 0) return [];
  const stated = sectionsOf(doc)
    .filter((section) => section.startsWith('@throws') || /\brejects with\b/i.test(section))
    .join('\n');
  if (stated === '') return ['throws: @throws must say which error, and when'];
  if (/\bas `/.test(stated)) return [];
  if (/@throws HdrscopeError/.test(stated) && stated.match(CODES) === null)
    return ['@throws HdrscopeError must name the code'];
  const codes = new Set(thrown.join('\n').match(CODES) ?? []);
  return [...codes].filter((code) => !stated.includes(code)).map((code) => `@throws must name ${code}`);
}

/**
 * What a body throws by itself: the operands of `throw`, and calls of functions that assert. Not what its inner functions throw, what it
 * catches, or what it has caught and throws on.
 *
 * @param {TsNode} body
 * @returns {string[]}
 */
function thrownIn(body) {
  /** @type {string[]} */
  const thrown = [];
  /** @param {TsNode} node */
  const visit = (node) => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isTryStatement(node) && node.catchClause !== undefined) {
      visit(node.catchClause.block);
      if (node.finallyBlock !== undefined) visit(node.finallyBlock);
      return;
    }
    if (ts.isThrowStatement(node) && !isCaught(node)) thrown.push(node.expression.getText());
    if (ts.isCallExpression(node) && /^assert[A-Z]/.test(node.expression.getText()))
      thrown.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(body);
  return thrown;
}

/**
 * @param {TsNode} thrown
 * @returns {boolean} Whether the operand is the variable of a `catch` around it.
 */
function isCaught(thrown) {
  const name = thrown.expression.getText();
  for (let node = thrown.parent; node !== undefined; node = node.parent)
    if (ts.isCatchClause(node) && node.variableDeclaration?.name.getText() === name) return true;
  return false;
}

/**
 * @param {PublicSymbol} symbol
 * @param {any} checker
 * @returns {string[]}
 */
function missingUnits({ name, doc, node }, checker) {
  // Neither an example nor a range that an error names says what a number is.
  const prose = sectionsOf(doc)
    .filter((section) => !/^@(?:example|throws)/.test(section))
    .join('\n');
  if (SAYS_NUMBER.test(prose)) return [];
  const isValue =
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isVariableDeclaration(node);
  const numbers = (isValue ? [node] : (node.parameters ?? []))
    .filter((/** @type {TsNode} */ one) => ts.isIdentifier(one.name))
    .filter((/** @type {TsNode} */ one) => isNumeric(checker.getTypeAtLocation(one), checker))
    .map((/** @type {TsNode} */ one) => one.name.getText())
    .filter(
      (/** @type {string} */ one) => !NAMED_UNIT.test(one.replace(/^./, (first) => first.toUpperCase())),
    );
  const subject = (/** @type {string} */ one) => (isValue ? name.split('.').at(-1) : `the parameter ${one}`);
  return numbers.map((/** @type {string} */ one) => `must state the unit or the range of ${subject(one)}`);
}

/**
 * @param {any} type
 * @param {any} checker
 * @returns {boolean} Whether it is a number or bigint, or an array of such; `undefined` or another type may be allowed too. Constants such
 *   as `401 | 403` are names.
 */
function isNumeric(type, checker) {
  if (type.isUnion()) return type.types.some((/** @type {any} */ one) => isNumeric(one, checker));
  if (checker.isArrayType(type)) return isNumeric(checker.getTypeArguments(type)[0], checker);
  return (type.flags & (ts.TypeFlags.Number | ts.TypeFlags.BigInt)) !== 0;
}

/**
 * @param {PublicSymbol} symbol
 * @returns {string[]}
 */
function missingSource({ name, doc, node }) {
  if (node.parameters === undefined || ts.isPropertySignature(node)) return [];
  const isCodec = /^(?:encode|decode|parse|format)(?:[A-Z]|$)/.test(name.split('.').at(-1) ?? '');
  return isCodec && !SAYS_SOURCE.test(doc)
    ? ['must name the format, or the program that reads or writes it']
    : [];
}

/**
 * @param {string} root
 * @returns {{ findings: Finding[], symbols: number }}
 */
export function checkDocs(root) {
  const { symbols, checker } = publicSymbols(root);
  const known = new Set(documentedCodes(root));
  const findings = symbols.flatMap((symbol) =>
    [
      ...missingSentence(symbol),
      ...missingErrors(symbol, known),
      ...(isBare(symbol) ? [] : [...missingUnits(symbol, checker), ...missingSource(symbol)]),
    ].map((message) => ({ where: `${symbol.file}:${symbol.line}`, message: `${symbol.name} ${message}` })),
  );
  return { findings, symbols: symbols.length };
}

if (isMain(import.meta)) {
  const { findings, symbols } = checkDocs(workspaceRoot);
  for (const { where, message } of findings) console.log(`${where}: ${message}`);
  console.log(`${symbols} symbols, ${findings.length} findings`);
  // A check of nothing finds nothing.
  process.exitCode = findings.length === 0 && symbols > 2000 ? 0 : 1;
}
