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

/** A way from the root of a document: keys and positions. */
export type Path = readonly PropertyKey[];

/** Something that is wrong with a configuration. */
export interface ConfigIssue {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** Where it is and what: `sources[1].path must be the path of a log, got 7`. */
  readonly message: string;
}

/** The node at a path, or the innermost one on the way there; with `atKey` the key that the last step names. */
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
  // Of an empty text nothing is known.
  return { line: Math.max(1, line), column: Math.max(1, col), message };
}

/** `sources[1].path`. */
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
 * Puts the values of environment variables where a text has `${NAME}` or `${NAME:-default}`; `$${` stands for `${`.
 * A value that was not quoted may become a number, true or false by that, and never anything else.
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
