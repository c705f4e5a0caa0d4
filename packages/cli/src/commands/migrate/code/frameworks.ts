import type { CallExpression, Node } from '#babel';
import { type CodeModule, type CodeUse, findExported } from './module.ts';
import { readConstant } from './static-values.ts';
import { findAround, isFunction, readKey } from './syntax.ts';

const HTTP: ReadonlySet<string> = new Set(['http', 'https', 'node:http', 'node:https']);

/** A framework whose handlers are known. */
export interface Framework {
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
export const FASTIFY: Framework = {
  packages: new Set(['fastify']),
  makers: new Set(['*', 'fastify']),
  methods: new Set(['get', 'all']),
  applications: new Set(['FastifyInstance']),
  responses: new Set(['FastifyReply']),
  raw: '.raw',
};

/** The framework by which a function gets requests and responses. Those of Node.js itself count as Express. */
export function findFramework(code: CodeModule, handler: Node): Framework | undefined {
  return [EXPRESS, FASTIFY].find((one) => isHandler(code, handler, one));
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
