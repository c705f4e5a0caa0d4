import type { CallExpression, Node, Statement } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { indentAt } from './edits.ts';
import { FASTIFY, type Framework, findFramework } from './frameworks.ts';
import type { CodeModule } from './module.ts';
import {
  contains,
  findAround,
  findEnd,
  findNodes,
  findStart,
  isFunction,
  Obstacle,
  readKey,
  readSource,
} from './syntax.ts';

const SENDING: ReadonlySet<string> = new Set(['end', 'send', 'write']);

/** What a handler knows of a page while it is judged. */
interface Page {
  readonly code: CodeModule;
  /** `register.metrics()`. */
  readonly call: CallExpression;
  /** The text of the register. */
  readonly register: string;
  readonly request: string;
  readonly response: string;
  readonly framework: Framework;
  /** The variable with the text of the page. */
  text: string | undefined;
}

/**
 * Replaces the statements of a handler that send the page of a register. Only handlers of Node.js, Express and Fastify are known: others
 * have requests and responses of their own.
 *
 * @param call `register.metrics()`.
 * @param handler The name of the function that takes their place.
 * @throws Obstacle when the handler does anything else with the page.
 */
export function rewritePage(code: CodeModule, call: CallExpression, handler: string): LiteralEdit[] {
  const around = findAround(code, call, isFunction);
  if (around === undefined) throw foreign(call);
  const [request, response] = around.params;
  const framework = findFramework(code, around);
  if (request?.type !== 'Identifier' || response?.type !== 'Identifier' || framework === undefined) {
    throw foreign(call);
  }
  const { callee } = call;
  if (callee.type !== 'MemberExpression') throw foreign(call);
  const page: Page = {
    code,
    call,
    register: readSource(code, callee.object),
    request: request.name,
    response: response.name,
    framework,
    text: undefined,
  };
  const { raw } = framework;
  const answer = `${handler}(${page.request}${raw}, ${page.response}${raw})`;
  const hijack = framework === FASTIFY ? `${page.response}.hijack()` : undefined;
  if (around.body.type !== 'BlockStatement') {
    if (!isAnswer(page, around.body) && !isReturnedPage(page, around.body)) throw unknown(around.body);
    assertNoComments(code, findStart(around.body), findEnd(around.body));
    const text = hijack === undefined ? answer : `{ ${hijack}; ${answer}; }`;
    return [{ from: findStart(around.body), to: findEnd(around.body), text }];
  }
  const statements = findAnswer(page, around.body.body);
  const [first, last] = [statements[0]!, statements.at(-1)!];
  const semicolon = readSource(code, last).endsWith('}') || readSource(code, last).endsWith(';') ? ';' : '';
  const isReturned = last.type === 'ReturnStatement' && last.argument != null;
  const [from, to] = [findStart(first), findEnd(last)];
  const kept = code.comments
    .filter((comment) => comment.start! >= from && comment.end! <= to)
    .map((comment) => `${code.text.slice(comment.start!, comment.end!)}\n${indentAt(code, from)}`);
  const newline = `${semicolon}\n${indentAt(code, from)}`;
  const sent =
    hijack === undefined
      ? `${isReturned ? 'return ' : ''}${answer}`
      : `${hijack}${newline}${answer}${isReturned ? `${newline}return` : ''}`;
  return [{ from, to, text: `${kept.join('')}${sent}${semicolon}` }];
}

function foreign(node: Node): Obstacle {
  return new Obstacle(
    node,
    'the handler of its page is not one of node:http, Express or Fastify that is known here: serve the page by prometheusHandler(registry, { sources: [fromPromClient(register)] }) first',
  );
}

function unknown(node: Node): Obstacle {
  return new Obstacle(
    node,
    'the handler of its page does more than send the page: let it call prometheusHandler(registry, { sources: [fromPromClient(register)] }) first',
  );
}

function assertNoComments(code: CodeModule, from: number, to: number): void {
  const comment = code.comments.find(({ start, end }) => start! >= from && end! <= to);
  if (comment !== undefined) throw unknown(code.root);
}

/** The statements that make the answer, in the block that has the call. */
function findAnswer(page: Page, body: readonly Statement[]): readonly Statement[] {
  const at = body.findIndex((statement) => contains(statement, page.call));
  const statement = body[at]!;
  if (!isAnswerPart(page, statement)) {
    const inner = innerBlock(page, statement);
    if (inner === undefined) throw unknown(statement);
    return findAnswer(page, inner);
  }
  let [from, to] = [at, at];
  while (from > 0 && isAnswerPart(page, body[from - 1]!)) from--;
  while (to + 1 < body.length && !isEmptyReturn(body[to + 1]!) && isAnswerPart(page, body[to + 1]!)) to++;
  const rest = body[to + 1];
  if (rest !== undefined && !isEmptyReturn(rest)) throw unknown(rest);
  const statements = body.slice(from, to + 1);
  const before = body.slice(0, from);
  const text = page.text;
  const isTextUsed = text !== undefined && findUses(page, text) > 0;
  if (isTextUsed) throw unknown(statement);
  if (!statements.some((one) => sends(page, one))) throw unknown(statement);
  const earlier = before.find((one) => one.type === 'ExpressionStatement' && sends(page, one));
  if (earlier !== undefined) throw unknown(earlier);
  return statements;

  function findUses({ code, call }: Page, name: string): number {
    const declaration = findAround(
      code,
      call,
      (node): node is Extract<Node, { type: 'VariableDeclarator' }> => node.type === 'VariableDeclarator',
    );
    const binding = declaration && code.scopes.find(declaration.id);
    if (binding === undefined || binding.name !== name) return 1;
    return binding.references.filter(({ node }) => !statements.some((one) => contains(one, node))).length;
  }
}

/** The block inside of a statement that has the call: of `if`, `else` and `try`. */
function innerBlock({ call }: Page, statement: Statement): readonly Statement[] | undefined {
  if (statement.type === 'IfStatement') {
    for (const branch of [statement.consequent, statement.alternate]) {
      if (branch == null || !contains(branch, call)) continue;
      return branch.type === 'BlockStatement' ? branch.body : [branch];
    }
  }
  return statement.type === 'BlockStatement' ? statement.body : undefined;
}

function isEmptyReturn(statement: Statement): boolean {
  return statement.type === 'ReturnStatement' && statement.argument == null;
}

function isAnswerPart(page: Page, statement: Statement): boolean {
  switch (statement.type) {
    case 'ExpressionStatement':
      return isAnswer(page, statement.expression);
    case 'ReturnStatement':
      return (
        statement.argument != null &&
        (isAnswer(page, statement.argument) || isReturnedPage(page, statement.argument))
      );
    case 'VariableDeclaration': {
      const [declarator] = statement.declarations;
      if (statement.declarations.length !== 1 || declarator?.id.type !== 'Identifier') return false;
      if (!isPageText(page, declarator.init)) return false;
      page.text = declarator.id.name;
      return true;
    }
    case 'TryStatement':
      return (
        statement.finalizer == null &&
        statement.block.body.every((inner) => isAnswerPart(page, inner)) &&
        (statement.handler?.body.body.every((inner) => isFailureAnswer(page, inner)) ?? false)
      );
    default:
      return false;
  }
}

/** `res.set('Content-Type', register.contentType)`, `res.end(await register.metrics())`, and the like, also one after the other. */
function isAnswer(page: Page, node: Node): boolean {
  if (node.type === 'AwaitExpression') return isAnswer(page, node.argument);
  if (node.type === 'AssignmentExpression') {
    const isStatus =
      isResponse(page, node.left, 'statusCode') &&
      node.right.type === 'NumericLiteral' &&
      node.right.value === 200;
    return isStatus && node.operator === '=';
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { object, property, computed } = node.callee;
  const method = readKey(property, computed);
  if (method === 'then' || method === 'catch') return isPromisedAnswer(page, object, method, node.arguments);
  if (!isResponse(page, object) && !isAnswer(page, object)) return false;
  const [first, second] = node.arguments;
  switch (method) {
    case 'set':
    case 'setHeader':
    case 'header':
      return isContentType(page, first, second);
    case 'type':
    case 'contentType':
      return isInert(page, first);
    case 'status':
    case 'code':
      return first?.type === 'NumericLiteral' && first.value === 200;
    case 'writeHead':
      return (
        first?.type === 'NumericLiteral' &&
        first.value === 200 &&
        (second === undefined || isContentType(page, second, undefined))
      );
    case 'end':
    case 'send':
      return node.arguments.length === 1 && isPageText(page, first);
    default:
      return false;
  }
}

function isPromisedAnswer(
  page: Page,
  object: Node,
  method: 'then' | 'catch',
  [callback, ...others]: readonly Node[],
): boolean {
  if (callback === undefined || others.length > 0) return false;
  if (callback.type !== 'ArrowFunctionExpression' && callback.type !== 'FunctionExpression') return false;
  if (method === 'catch') {
    const { body } = callback;
    if (!isAnswer(page, object)) return false;
    return body.type === 'BlockStatement'
      ? body.body.every((inner) => isFailureAnswer(page, inner))
      : isFailureCall(page, body);
  }
  const [text] = callback.params;
  if (object !== page.call || text?.type !== 'Identifier') return false;
  const inner: Page = { ...page, text: text.name };
  return callback.body.type === 'BlockStatement'
    ? callback.body.body.every((statement) => isAnswerPart(inner, statement))
    : isAnswer(inner, callback.body);
}

/** Whether a handler returns the page, which Fastify sends then. */
function isReturnedPage(page: Page, node: Node): boolean {
  return page.framework === FASTIFY && (node === page.call || isPageText(page, node));
}

/** Whether a statement sends the page, and not only a header. */
function sends(page: Page, statement: Statement): boolean {
  const { response, code } = page;
  if (statement.type === 'ReturnStatement' && statement.argument != null)
    if (isReturnedPage(page, statement.argument)) return true;
  const part = statement.type === 'TryStatement' ? statement.block : statement;
  return findNodes(part, (node): node is CallExpression => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
    const method = readKey(node.callee.property, node.callee.computed);
    return SENDING.has(method ?? '') && readSource(code, node.callee.object).startsWith(response);
  }).some(() => true);
}

/** What a handler does when the page fails: ours answers with a reason itself. */
function isFailureAnswer(page: Page, statement: Statement): boolean {
  if (statement.type === 'ReturnStatement')
    return statement.argument == null || isFailureCall(page, statement.argument);
  if (statement.type !== 'ExpressionStatement') return false;
  const { expression } = statement;
  if (expression.type === 'AssignmentExpression') return isResponse(page, expression.left, 'statusCode');
  return isFailureCall(page, expression);
}

const LOGGING: ReadonlySet<string> = new Set(['error', 'warn', 'info', 'log', 'debug']);

function isFailureCall(page: Page, node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const { callee } = node;
  if (callee.type === 'Identifier') return callee.name === 'next';
  if (callee.type !== 'MemberExpression') return false;
  const { object } = callee;
  if (LOGGING.has(readKey(callee.property, callee.computed) ?? '')) return true;
  return isResponse(page, object) || isFailureCall(page, object);
}

function isResponse({ response }: Page, node: Node, property?: string): boolean {
  if (property === undefined) return node.type === 'Identifier' && node.name === response;
  return (
    node.type === 'MemberExpression' &&
    isResponse({ response } as Page, node.object) &&
    readKey(node.property, node.computed) === property
  );
}

function isPageText(page: Page, node: Node | null | undefined): boolean {
  if (node?.type === 'AwaitExpression') return node.argument === page.call;
  return node?.type === 'Identifier' && page.text !== undefined && node.name === page.text;
}

/** The name and value of the header, or an object with this header alone. */
function isContentType(page: Page, name: Node | undefined, value: Node | undefined): boolean {
  if (name?.type === 'ObjectExpression') {
    return name.properties.every(
      (property) =>
        property.type === 'ObjectProperty' &&
        readKey(property.key, property.computed)?.toLowerCase() === 'content-type' &&
        isInert(page, property.value),
    );
  }
  return (
    name?.type === 'StringLiteral' && name.value.toLowerCase() === 'content-type' && isInert(page, value)
  );
}

/** A text, or the content type of the register. */
function isInert({ register, code }: Page, node: Node | undefined): boolean {
  if (node?.type === 'StringLiteral') return true;
  return node !== undefined && readSource(code, node) === `${register}.contentType`;
}
