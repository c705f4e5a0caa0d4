import { visible } from '@hdrscope/core/internal';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';

/** The keys and positions from the root of a document to a node. */
export type Path = readonly PropertyKey[];

/** A problem of a configuration. */
export interface ConfigIssue {
  /** Number of the line, from 1. */
  readonly line: number;
  /** Number of the column in the line, from 1. */
  readonly column: number;
  /** Place and problem: `sources[1].path must be the path of a log, got 7`. */
  readonly message: string;
}

/** The node at a path, or the innermost node on the way to it; with `atKey`, the key of the last step. */
export function nodeAt(document: Document, path: Path, atKey = false): Node | undefined {
  let node = document.contents as Node | null;
  for (const [at, step] of path.entries()) {
    const pair = isMap(node) ? pairsOf(node).get(step) : undefined;
    if (pair !== undefined && atKey && at === path.length - 1) return pair.key as Node;
    const next = (
      isSeq(node) ? node.items[step as number] : (pair as Pair | undefined)?.value
    ) as Node | null;
    if (!next?.range) return node ?? undefined;
    node = next;
  }
  return node ?? undefined;
}

const PAIRS = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

/** The pairs of a mapping by their keys. A mapping with many problems is asked as often. */
function pairsOf(map: YAMLMap): ReadonlyMap<unknown, Pair> {
  const known = PAIRS.get(map);
  if (known !== undefined) return known;
  const pairs = new Map(map.items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair.key, pair]));
  PAIRS.set(map, pairs);
  return pairs;
}

/** Keys that a text in a configuration cannot have: those that come twice in a mapping, and those that are no plain texts. */
export function keyIssues(document: Document, lines: LineCounter): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  visit(document, {
    Map(_at, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        // Any other key would become a text of what it holds.
        if (!isScalar(key)) issues.push(issueAt(lines, key as Node, 'a key must be a plain text'));
        else if (seen.has(key.value)) {
          issues.push(issueAt(lines, key, 'this is not YAML: Map keys must be unique'));
        } else seen.add(key.value);
      }
    },
  });
  return issues;
}

export function issueAt(lines: LineCounter, node: Node | undefined, message: string): ConfigIssue {
  const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
  // An empty text has no position.
  return { line: Math.max(1, line), column: Math.max(1, col), message: visible(message) };
}

/** Longer keys are cut in messages. */
export const LONGEST_KEY = 80;

/** A path as text: `sources[1].path`. An odd name of a header is left out: it may be the header with its value. */
export function pathText(path: Path): string {
  let text = '';
  for (const [at, step] of path.entries()) {
    if (path[at - 1] === 'headers' && !/^[\w-]+$/.test(String(step))) text += '[…]';
    else if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\w-]{1,80}$/.test(String(step))) text += text === '' ? String(step) : `.${String(step)}`;
    else text += `[${JSON.stringify(String(step).slice(0, LONGEST_KEY))}]`;
  }
  return text;
}

/** The values that variables have in a document. */
export interface Substituted {
  readonly issues: readonly ConfigIssue[];
  /** The text in the file, such as `${PORT}`, by the value that came of it. */
  readonly texts: ReadonlyMap<unknown, string>;
  /** The values of variables, by the variable. Defaults that the file states are not among them. */
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in texts with the values of environment variables; `$${` stands for `${`.
 * A text without quotes may become a number, true or false by that, and never anything else.
 */
export function substituteVariables(
  document: Document,
  lines: LineCounter,
  environment: Readonly<Record<string, string | undefined>>,
): Substituted {
  const issues: ConfigIssue[] = [];
  const texts = new Map<unknown, string>();
  const variables = new Map<string, string>();
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const written = node.value;
      const text = replaceVariables(written, (name, fallback) => {
        const value = environment[name];
        if (value) variables.set(name, value);
        else if (fallback === undefined) {
          const cure = `set it, or give a default as in \${${name}:-default}`;
          issues.push(issueAt(lines, node, `the environment variable ${name} is not set: ${cure}`));
        }
        return value || (fallback ?? '');
      });
      node.value = node.type === 'PLAIN' ? plainValue(text) : text;
      texts.set(node.value, written);
    },
  });
  return { issues, texts, variables };
}

const NAME_AND_DEFAULT = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/** Replaces each variable of a text in one pass. A `${` that begins no variable stays. */
function replaceVariables(
  text: string,
  replacementOf: (name: string, fallback: string | undefined) => string,
): string {
  let replaced = '';
  let from = 0;
  let end = -1;
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', at)) {
    if (text.startsWith('$${', at)) {
      replaced += `${text.slice(from, at)}\${`;
      at += 3;
      from = at;
      continue;
    }
    if (end < at) end = text.indexOf('}', at);
    // Without a closing brace there is no variable in the rest either.
    if (end < 0) break;
    const inside = text.startsWith('${', at) ? text.slice(at + 2, end) : '';
    const [, name, fallback] = NAME_AND_DEFAULT.exec(inside) ?? [];
    if (name === undefined) at += 1;
    else {
      replaced += text.slice(from, at) + replacementOf(name, fallback);
      at = end + 1;
      from = at;
    }
  }
  return replaced + text.slice(from);
}

function plainValue(text: string): Scalar['value'] {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
