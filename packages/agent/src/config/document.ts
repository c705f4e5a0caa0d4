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
} from 'yaml';

/** The keys and positions from the root of a document to a node. */
export type Path = readonly PropertyKey[];

/** A problem of a configuration. */
export interface ConfigIssue {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** Place and problem: `sources[1].path must be the path of a log, got 7`. */
  readonly message: string;
}

/** The node at a path, or the innermost node on the way to it; with `atKey`, the key of the last step. */
export function nodeAt(document: Document, path: Path, atKey = false): Node | undefined {
  let node = document.contents as Node | null;
  for (const [at, step] of path.entries()) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    if (pair !== undefined && atKey && at === path.length - 1) return pair.key as Node;
    const next = (
      isSeq(node) ? node.items[step as number] : (pair as Pair | undefined)?.value
    ) as Node | null;
    if (!next?.range) return node ?? undefined;
    node = next;
  }
  return node ?? undefined;
}

export function issueAt(lines: LineCounter, node: Node | undefined, message: string): ConfigIssue {
  const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
  // An empty text has no position.
  return { line: Math.max(1, line), column: Math.max(1, col), message };
}

/** A path as text: `sources[1].path`. */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\w-]+$/.test(String(step))) text += text === '' ? String(step) : `.${String(step)}`;
    else text += `[${JSON.stringify(String(step))}]`;
  }
  return text;
}

const VARIABLE = /\$(?:\$\{|\{([A-Za-z_]\w*)(?::-([^}]*))?\})/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in texts with the values of environment variables; `$${` stands for `${`.
 * A text without quotes may become a number, true or false by that, and never anything else.
 */
export function substituteVariables(
  document: Document,
  lines: LineCounter,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const text = node.value.replace(VARIABLE, (found, name?: string, fallback?: string) => {
        if (name === undefined) return '${';
        const value = environment[name] || fallback;
        if (value !== undefined) return value;
        const cure = `set it, or give a default as in \${${name}:-default}`;
        issues.push(issueAt(lines, node, `the environment variable ${name} is not set: ${cure}`));
        return found;
      });
      node.value = node.type === 'PLAIN' ? plainValue(text) : text;
    },
  });
  return issues;
}

function plainValue(text: string): Scalar['value'] {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
