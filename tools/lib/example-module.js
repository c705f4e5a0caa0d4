import { createPositions, parse, walk } from './syntax.js';

/**
 * @typedef {import('./syntax.js').Node} Node
 * @typedef {import('./example-blocks.js').Block} Block
 *
 * @typedef {object} Expectation A `//=> text` behind a statement.
 * @property {Node} statement
 * @property {number} line Line number in the document.
 * @property {string[]} text Several lines when lines with only `//=> …` follow each other.
 */

/** The name under which an example finds its checks (`example-checks.js`). */
const CHECKS = '__checks';

/**
 * Turns a block into a module in which every line keeps its number.
 *
 * @param {Block} block
 */
export function toPlainModule({ code, line }) {
  // The export turns a block without imports into a module.
  return `${'\n'.repeat(line - 1)}${code}\nexport {};\n`;
}

/**
 * Turns a block into a module that checks its own expectations, through the global that `globalName` names:
 *
 *     count(x); //=> 3                 the value, deeply and exactly; also on the next line
 *     const y = f(x); //=> 3           the value that was assigned
 *     console.log(x); //=> text        what was printed
 *     f(-1); //=> throws ERR_CODE      the `code` of the error
 *
 * @param {Block} block
 * @param {string} globalName
 * @returns {{ source: string, lines: number[] }} `lines` are the lines with an expectation.
 * @throws Error when a `//=>` does not follow a statement, or is not an expression.
 */
export function toCheckedModule(block, globalName) {
  const expectations = findExpectations(block);
  const positions = createPositions(block.code);
  let code = block.code;
  // From the end, so that earlier positions stay valid.
  for (const expectation of expectations.toReversed()) {
    const start = positions.index(expectation.statement.span.start);
    const end = positions.index(expectation.statement.span.end);
    code = code.slice(0, start) + toCheck(expectation, positions, block) + code.slice(end);
  }
  const header = `const ${CHECKS} = globalThis[Symbol.for(${JSON.stringify(globalName)})]; `;
  return {
    source: header + toPlainModule({ ...block, code }),
    lines: expectations.map(({ line }) => line),
  };
}

/**
 * @param {Block} block
 * @returns {Expectation[]}
 */
function findExpectations(block) {
  const positions = createPositions(block.code);
  /** @type {Map<number, Node>} */
  const statementsByEnd = new Map();
  walk(parseBlock(block), (node) => {
    if (node.type !== 'ExpressionStatement' && node.type !== 'VariableDeclaration') return;
    statementsByEnd.set(positions.index(node.span.end), node);
  });
  /** @type {Expectation[]} */
  const expectations = [];
  let lineStart = 0;
  let codeEnd = 0;
  for (const [i, text] of block.code.split('\n').entries()) {
    const at = text.indexOf('//=>');
    const codeLength = (at === -1 ? text : text.slice(0, at)).trimEnd().length;
    const isContinued = codeLength === 0 && codeEnd === 0;
    if (codeLength > 0) codeEnd = lineStart + codeLength;
    if (at !== -1) {
      const line = block.line + i;
      // Printed text may start with spaces.
      const expected = text
        .slice(at + '//=>'.length)
        .replace(/^ /, '')
        .trimEnd();
      const statement = statementsByEnd.get(codeEnd);
      if (statement !== undefined) expectations.push({ statement, line, text: [expected] });
      else if (isContinued && expectations.length > 0) expectations.at(-1)?.text.push(expected);
      else throw new Error(`${block.file}:${line}: //=> must stand behind an expression`);
      // Lines with only `//=>` that follow continue this one.
      codeEnd = 0;
    }
    lineStart += text.length + 1;
  }
  return expectations;
}

/**
 * @param {Expectation} expectation
 * @param {ReturnType<typeof createPositions>} positions
 * @param {Block} block
 */
function toCheck({ statement, line, text }, positions, block) {
  /** @param {Node} node */
  const sourceOf = ({ span }) => block.code.slice(positions.index(span.start), positions.index(span.end));
  const expected = text.join(' ').trim();
  if (statement.type === 'VariableDeclaration') {
    const { id } = statement.declarations[0];
    if (id.type !== 'Identifier' || statement.declarations.length > 1) {
      throw new Error(`${block.file}:${line}: //=> needs one named variable, or an expression`);
    }
    assertExpression(expected, line, block);
    return `${sourceOf(statement)} ${CHECKS}.equals(${line}, ${id.value}, (${expected}));`;
  }
  const expression = statement.expression;
  const source = sourceOf(expression);
  const thrown = /^throws (\w+)$/.exec(expected);
  if (thrown !== null) {
    const code = JSON.stringify(thrown[1]);
    return hasAwait(expression)
      ? `await ${CHECKS}.rejects(${line}, ${code}, async () => (${source}));`
      : `${CHECKS}.throws(${line}, ${code}, () => (${source}));`;
  }
  if (expression.type === 'CallExpression' && sourceOf(expression.callee) === 'console.log') {
    const print = `${CHECKS}.prints(${line}, ${JSON.stringify(text.join('\n'))})`;
    return `${print}${source.slice('console.log'.length)};`;
  }
  assertExpression(expected, line, block);
  return `${CHECKS}.equals(${line}, (${source}), (${expected}));`;
}

/** @param {Node} expression */
function hasAwait(expression) {
  let found = false;
  walk(expression, ({ type }) => {
    found ||= type === 'AwaitExpression';
  });
  return found;
}

/** @param {Block} block */
function parseBlock({ code, file, line, language }) {
  try {
    return parse(code, `example.${language}`);
  } catch (error) {
    throw new Error(`${file}:${line}: the example does not parse: ${messageOf(error)}`);
  }
}

/**
 * @param {string} text
 * @param {number} line
 * @param {Block} block
 */
function assertExpression(text, line, { file }) {
  try {
    parse(`(${text});`, 'expected.ts');
  } catch (error) {
    throw new Error(`${file}:${line}: '${text}' is not an expression: ${messageOf(error)}`);
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
