import type { Comment, File, Node, ParserOptions } from '#babel';
import { Refusal } from '../../../command.ts';
import { lineAt } from '../literals.ts';

/** A module of JavaScript or TypeScript: its text, and its syntax tree. */
export interface ParsedCode {
  readonly path: string;
  readonly text: string;
  readonly root: Node;
  readonly comments: readonly Comment[];
  readonly parentOf: ReadonlyMap<Node, Node>;
}

/** Why a part of a program stays as it is, and where the reason lies. */
export class Obstacle extends Error {
  readonly node: Node;

  constructor(node: Node, reason: string) {
    super(reason);
    this.name = 'Obstacle';
    this.node = node;
  }
}

const PLUGINS: NonNullable<ParserOptions['plugins']> = ['decorators-legacy', 'explicitResourceManagement'];

/** The deepest tree that is walked: the walks call themselves. */
const DEPTH = 1000;

/**
 * Parses a program. The parser is loaded at the first call, because only programs need it.
 *
 * @throws Refusal when it is no program.
 */
export async function parseCode(path: string, text: string): Promise<ParsedCode> {
  const { parse } = await import('#babel');
  const isTyped = /\.[cm]?tsx?$/.test(path);
  const plugins = [...PLUGINS, ...(isTyped ? (['typescript'] as const) : [])];
  if (/\.(jsx|tsx|[cm]?js)$/.test(path)) plugins.push('jsx');
  let file: File;
  try {
    file = parse(text, {
      plugins,
      sourceType: 'unambiguous',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      errorRecovery: false,
      attachComment: false,
    });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep(path, cause);
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Refusal(`${path} must be JavaScript or TypeScript: ${cause.message}`, { cause });
  }
  const parentOf = new Map<Node, Node>();
  linkParents(file.program, parentOf, path);
  return { path, text, root: file.program, comments: file.comments ?? [], parentOf };
}

function linkParents(root: Node, parentOf: Map<Node, Node>, path: string, depth = 0): void {
  if (depth > DEPTH) throw tooDeep(path);
  for (const child of listChildren(root)) {
    parentOf.set(child, root);
    linkParents(child, parentOf, path, depth + 1);
  }
}

function tooDeep(path: string, cause?: unknown): Refusal {
  return new Refusal(`${path} must have at most ${DEPTH} levels of syntax`, { cause });
}

/** The children of a node, in the order of their fields. */
export function listChildren(node: Node): Node[] {
  const children: Node[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc' || key === 'extra' || key === 'tokens' || key === 'errors') continue;
    for (const item of Array.isArray(value) ? value : [value]) if (isNode(item)) children.push(item);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof (value as Partial<Node> | null | undefined)?.type === 'string';
}

/** All nodes of a tree that a test accepts, in the order of the tree. */
export function findNodes<Found extends Node>(root: Node, accepts: (node: Node) => node is Found): Found[] {
  const found: Found[] = [];
  const visit = (node: Node): void => {
    if (accepts(node)) found.push(node);
    for (const child of listChildren(node)) visit(child);
  };
  visit(root);
  return found;
}

/** The nearest node around a node that a test accepts. */
export function findAround<Found extends Node>(
  { parentOf }: Pick<ParsedCode, 'parentOf'>,
  node: Node,
  accepts: (node: Node) => node is Found,
): Found | undefined {
  for (let around = parentOf.get(node); around !== undefined; around = parentOf.get(around)) {
    if (accepts(around)) return around;
  }
  return undefined;
}

export function isFunction(node: Node): node is Extract<Node, { type: FunctionType }> {
  return FUNCTIONS.has(node.type);
}

type FunctionType =
  | 'FunctionDeclaration'
  | 'FunctionExpression'
  | 'ArrowFunctionExpression'
  | 'ObjectMethod'
  | 'ClassMethod'
  | 'ClassPrivateMethod';

const FUNCTIONS: ReadonlySet<string> = new Set<FunctionType>([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
]);

/** The text of a node. */
export function readSource({ text }: Pick<ParsedCode, 'text'>, node: Node): string {
  return text.slice(findStart(node), findEnd(node));
}

export function findStart(node: Node): number {
  return node.start!;
}

export function findEnd(node: Node): number {
  return node.end!;
}

/** Whether a node stands in another one, or is it. */
export function contains(outer: Node, inner: Node): boolean {
  return findStart(outer) <= findStart(inner) && findEnd(inner) <= findEnd(outer);
}

/** The line on which a node begins, from 1. */
export function findLine({ text }: Pick<ParsedCode, 'text'>, node: Node): number {
  return lineAt(text, findStart(node));
}

/** The name of a key or a property that the text states: `a` of `{ a: 1 }`, `{ 'a': 1 }` and `x.a`. */
export function readKey(key: Node, isComputed: boolean): string | undefined {
  if (key.type === 'StringLiteral') return key.value;
  return key.type === 'Identifier' && !isComputed ? key.name : undefined;
}
