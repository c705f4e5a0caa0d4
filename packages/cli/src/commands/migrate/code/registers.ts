import type { CallExpression, Node } from '#babel';
import { type CodeModule, findExported, type ImportedName } from './module.ts';
import type { Binding } from './scopes.ts';
import { findLine, Obstacle, readKey, readSource } from './syntax.ts';

/** The clients of Prometheus for Node.js. */
export const CLIENTS: ReadonlySet<string> = new Set(['prom-client', '@prometheus-io/client']);
const OURS: ReadonlySet<string> = new Set(['@hdrscope/prometheus']);

/** A register of a client in one program: what uses it, and why its histograms must stay. */
export interface Register {
  /** Where it is declared; `undefined` for the register of the client itself. */
  readonly binding: Binding | undefined;
  /** Its calls of `metrics()`. */
  readonly pages: CallExpression[];
  /** Calls of `registerMetric`. */
  readonly registrations: CallExpression[];
  /** Whether `fromPromClient` shows it already. */
  isShown: boolean;
  obstacle: Obstacle | undefined;
}

/** What a program does with a client. */
export interface ClientUses {
  readonly histograms: readonly Extract<Node, { type: 'NewExpression' }>[];
  readonly registers: readonly Register[];
  /** The declarations that bring the client in. */
  readonly imports: readonly ImportedName[];
  /** Finds the register that an expression stands for. */
  findRegister(node: Node): Register | undefined;
}

/** Names of a client that read or send all metrics, or give them other labels. */
const READERS: ReadonlySet<string> = new Set([
  'AggregatorRegistry',
  'ClusterRegistry',
  'WorkerRegistry',
  'Pushgateway',
]);

/** Finds the histograms and the registers of a program. */
export function readClientUses(code: CodeModule): ClientUses {
  const imports = code.imports.filter(({ source }) => CLIENTS.has(source));
  const histograms: Extract<Node, { type: 'NewExpression' }>[] = [];
  const common: Register = makeRegister(undefined);
  const registers = [common];

  const visitRegister = (register: Register, node: Node): void => {
    const reason = readRegisterUse(code, register, node);
    if (reason !== undefined) register.obstacle ??= refuseAll(code, node, reason);
  };
  const visit = (node: Node): void => {
    const exported = findExported(code, node, CLIENTS);
    const parent = code.parentOf.get(node);
    if (exported === '*') {
      const isNamed = parent?.type === 'MemberExpression' && parent.object === node;
      if (isNamed && readKey(parent.property, parent.computed) !== undefined) visit(parent);
      else if (!isAlias(parent)) common.obstacle ??= refuseAll(code, node, 'passes on the client');
      return;
    }
    if (exported === 'register') {
      if (!isAlias(parent)) visitRegister(common, node);
    } else if (exported === 'Histogram') {
      if (parent?.type === 'NewExpression' && parent.callee === node) histograms.push(parent);
      else if (!isAlias(parent)) common.obstacle ??= refuseAll(code, node, 'passes on the class Histogram');
    } else if (exported === 'Registry') {
      const register = readOwnRegister(code, parent, node);
      if (register === undefined) {
        if (!isAlias(parent))
          common.obstacle ??= refuseAll(code, node, 'makes a register that is not a constant of the file');
      } else registers.push(register);
    } else if (exported !== undefined && READERS.has(exported)) {
      common.obstacle ??= refuseAll(
        code,
        node,
        `uses ${exported}, which would not see histograms of hdrscope`,
      );
    }
  };
  for (const { binding } of imports) {
    for (const { node, isType } of binding.references) if (!isType) visit(node);
  }
  for (const register of registers) {
    for (const { node, isType } of register.binding?.references ?? [])
      if (!isType) visitRegister(register, node);
  }
  return {
    histograms,
    registers,
    imports,
    findRegister: (node) => {
      if (findExported(code, node, CLIENTS) === 'register') return common;
      const binding = code.scopes.find(node);
      return binding && registers.find((register) => register.binding === binding);
    },
  };
}

function makeRegister(binding: Binding | undefined): Register {
  return { binding, pages: [], registrations: [], isShown: false, obstacle: undefined };
}

function refuseAll(code: CodeModule, node: Node, reason: string): Obstacle {
  return new Obstacle(node, `line ${findLine(code, node)} ${reason}`);
}

/** Whether a declaration only gives another name, which is an import of its own. */
function isAlias(parent: Node | undefined): boolean {
  return parent?.type === 'VariableDeclarator' && parent.init != null;
}

/** `const register = new Registry()` at the top of a program. */
function readOwnRegister(code: CodeModule, made: Node | undefined, callee: Node): Register | undefined {
  if (made?.type !== 'NewExpression' || made.callee !== callee || made.arguments.length > 0) return undefined;
  const declarator = code.parentOf.get(made);
  if (declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier') return undefined;
  const declaration = code.parentOf.get(declarator);
  if (declaration === undefined || code.parentOf.get(declaration)?.type !== 'Program') return undefined;
  const binding = code.scopes.find(declarator.id);
  return binding?.isConstant === true ? makeRegister(binding) : undefined;
}

/** Notes a use of a register. A sentence when histograms must stay because of it. */
function readRegisterUse(code: CodeModule, register: Register, node: Node): string | undefined {
  const parent = code.parentOf.get(node);
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    const name = readKey(parent.property, parent.computed);
    const call = code.parentOf.get(parent);
    const isCall = call?.type === 'CallExpression' && call.callee === parent;
    if (name === 'contentType' && !isCall) return undefined;
    if (name === 'metrics' && isCall && call.arguments.length === 0) {
      register.pages.push(call);
      return undefined;
    }
    if (name === 'registerMetric' && isCall && code.parentOf.get(call)?.type === 'ExpressionStatement') {
      register.registrations.push(call);
      return undefined;
    }
    return `calls ${readSource(code, parent)}, which would not see histograms of hdrscope`;
  }
  if (parent?.type === 'CallExpression' && findExported(code, parent.callee, OURS) === 'fromPromClient') {
    register.isShown = true;
    return undefined;
  }
  if (parent?.type === 'ObjectProperty' && parent.value === node) {
    const call = code.parentOf.get(code.parentOf.get(parent)!);
    const isDefault =
      call?.type === 'CallExpression' && findExported(code, call.callee, CLIENTS) === 'collectDefaultMetrics';
    if (isDefault && readKey(parent.key, parent.computed) === 'register') return undefined;
  }
  if (parent?.type === 'ArrayExpression') {
    const property = code.parentOf.get(parent);
    const made = property && code.parentOf.get(code.parentOf.get(property)!);
    const isMetric = made?.type === 'NewExpression' && findExported(code, made.callee, CLIENTS) !== undefined;
    if (
      isMetric &&
      property?.type === 'ObjectProperty' &&
      readKey(property.key, property.computed) === 'registers'
    )
      return undefined;
  }
  return 'passes on the register of the histograms';
}
