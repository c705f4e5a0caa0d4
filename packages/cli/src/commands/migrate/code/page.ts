import type { CallExpression, Node, Statement } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { indentAt } from './edits.ts';
import { type CodeModule, type CodeUse, findExported } from './module.ts';
import { readConstant } from './static-values.ts';
import {
  findAround,
  findEnd,
  findNodes,
  findStart,
  isFunction,
  Obstacle,
  readKey,
  readSource,
} from './syntax.ts';

const HTTP: ReadonlySet<string> = new Set(['http', 'https', 'node:http', 'node:https']);

/** A framework whose handlers are known. */
interface Framework {
  readonly packages: ReadonlySet<string>;
  /** The exports that make applications or routers. */
  readonly makers: ReadonlySet<string>;
  readonly methods: ReadonlySet<string>;
  /** The types of applications and responses. */
  readonly applications: ReadonlySet<string>;
  readonly responses: ReadonlySet<string>;
  /** How it gets at requests and responses of Node.js. */
  readonly raw: string;
}

const EXPRESS: Framework = {
  packages: new Set(['express']),
  makers: new Set(['*', 'Router']),
  methods: new Set(['get', 'use', 'all']),
  applications: new Set(['Application', 'Express', 'Router']),
  responses: new Set(['Response']),
  raw: '',
};
const FASTIFY: Framework = {
  packages: new Set(['fastify']),
  makers: new Set(['*', 'fastify']),
  methods: new Set(['get', 'all']),
  applications: new Set(['FastifyInstance']),
  responses: new Set(['FastifyReply']),
  raw: '.raw',
};

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
  const framework = [EXPRESS, FASTIFY].find((one) => isHandler(code, around, one));
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
    'the handler of its page does more than to send the page: let it call prometheusHandler(registry, { sources: [fromPromClient(register)] }) first',
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

function contains(outer: Node, inner: Node): boolean {
  return findStart(outer) <= findStart(inner) && findEnd(inner) <= findEnd(outer);
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

/** Whether a function gets requests and responses of Node.js: directly, or by a server or router that is known. */
function isHandler(code: CodeModule, handler: Node, framework: Framework, depth = 0): boolean {
  if (depth > 3) return false;
  if (isFunction(handler) && hasType(code, handler.params[1], framework, 'responses')) return true;
  const parent = code.parentOf.get(handler);
  if (parent?.type === 'CallExpression' && parent.callee !== handler)
    return isServer(code, parent, framework);
  return everyUse(code, handler, (use, called) => {
    if (called.callee !== use.node) return isServer(use.code, called, framework);
    const caller = findAround(use.code, called, isFunction);
    if (caller === undefined || !isHandler(use.code, caller, framework, depth + 1)) return false;
    return [0, 1].every((at) => {
      const [argument, parameter] = [called.arguments[at], caller.params[at]];
      return (
        argument !== undefined &&
        parameter !== undefined &&
        use.code.scopes.find(argument) === use.code.scopes.find(parameter)
      );
    });
  });
}

/** Whether a function with a name is used, and a test accepts each call that has it as the callee or an argument. */
function everyUse(
  code: CodeModule,
  used: Node,
  accepts: (use: CodeUse, call: CallExpression) => boolean,
): boolean {
  const parent = code.parentOf.get(used);
  const declared =
    parent?.type === 'VariableDeclarator'
      ? parent.id
      : used.type === 'FunctionDeclaration'
        ? used.id
        : undefined;
  const binding = declared == null ? undefined : code.scopes.find(declared);
  if (binding === undefined || !binding.isConstant) return false;
  const uses = code.program.listUses(code, binding).filter(({ isType }) => !isType);
  return (
    uses.length > 0 &&
    uses.every((use) => {
      const call = use.code.parentOf.get(use.node);
      return call?.type === 'CallExpression' && accepts(use, call);
    })
  );
}

/** `createServer(handler)` of Node.js, and `app.get('/metrics', handler)` of a framework. */
function isServer(code: CodeModule, { callee }: CallExpression, framework: Framework): boolean {
  if (framework === EXPRESS && findExported(code, callee, HTTP) === 'createServer') return true;
  if (callee.type !== 'MemberExpression') return false;
  const method = readKey(callee.property, callee.computed);
  if (method === undefined || !framework.methods.has(method)) return false;
  return isApplication(code, callee.object, framework);
}

/** Whether an expression is an application or a router, also one that a function gets from all of its callers. */
function isApplication(code: CodeModule, node: Node, framework: Framework, depth = 0): boolean {
  const origin = code.program.findOrigin(code, node);
  if (origin === undefined || depth > 3) return false;
  const { binding } = origin;
  const made = readConstant(origin.code, binding);
  if (made?.type === 'CallExpression') {
    const exported = findExported(origin.code, made.callee, framework.packages);
    return exported !== undefined && framework.makers.has(exported);
  }
  if (binding.kind !== 'parameter') return false;
  const isWritten = binding.references.some(({ node: one }) => {
    const parent = origin.code.parentOf.get(one);
    return parent?.type === 'AssignmentExpression' && parent.left === one;
  });
  if (isWritten) return false;
  if (hasType(origin.code, binding.identifier, framework, 'applications')) return true;
  const around = findAround(origin.code, binding.identifier, isFunction);
  const at = around?.params.indexOf(binding.identifier) ?? -1;
  if (around === undefined || at < 0) return false;
  return everyUse(origin.code, around, (use, call) => {
    if (call.callee !== use.node) return at === 0 && isPlugin(use, call, framework, depth);
    const given = call.arguments[at];
    const isSpread = call.arguments.some(({ type }) => type === 'SpreadElement');
    return given !== undefined && !isSpread && isApplication(use.code, given, framework, depth + 1);
  });
}

/** `app.register(plugin)` of Fastify: a plugin gets an application first. */
function isPlugin(
  { code, node }: CodeUse,
  call: CallExpression,
  framework: Framework,
  depth: number,
): boolean {
  const { callee } = call;
  return (
    framework === FASTIFY &&
    call.arguments[0] === node &&
    callee.type === 'MemberExpression' &&
    readKey(callee.property, callee.computed) === 'register' &&
    isApplication(code, callee.object, framework, depth + 1)
  );
}

/** Whether a parameter states a type of a framework, or a response of Node.js. */
function hasType(
  code: CodeModule,
  parameter: Node | undefined,
  framework: Framework,
  kind: 'applications' | 'responses',
): boolean {
  if (parameter?.type !== 'Identifier' || parameter.typeAnnotation?.type !== 'TSTypeAnnotation') return false;
  const { typeAnnotation: type } = parameter.typeAnnotation;
  if (type.type !== 'TSTypeReference') return false;
  const { typeName } = type;
  const [name, property] =
    typeName.type === 'TSQualifiedName' ? [typeName.left, typeName.right.name] : [typeName, undefined];
  const find = (packages: ReadonlySet<string>): string | undefined => {
    const exported = findExported(code, name, packages);
    return property !== undefined && exported === '*' ? property : exported;
  };
  if (framework === EXPRESS && kind === 'responses' && find(HTTP) === 'ServerResponse') return true;
  return framework[kind].has(find(framework.packages) ?? '');
}
