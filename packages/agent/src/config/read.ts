import { readFile, stat } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { z } from 'zod';
import { type ConfigIssue, issueAt, nodeAt, type Path, pathText, substituteVariables } from './document.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import type { AgentConfig } from './types.ts';

/** The result of reading a text: a configuration, or all its problems. */
export type ReadConfig =
  | { readonly config: AgentConfig; readonly issues: readonly [] }
  | { readonly config: undefined; readonly issues: readonly ConfigIssue[] };

/** The source of variables. */
export interface ReadConfigOptions {
  /** Values for `${NAME}`. @default no variables */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A longer file is not a configuration: somebody named the wrong file. */
const LONGEST_BYTES = 2 ** 20;

/**
 * Reads a configuration from YAML, or JSON, which is YAML too. Reports all problems at once, each with its place.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { readConfig } from '@hdrscope/agent';
 *
 * const { config } = readConfig('sources: []\nsinks: [{ type: prometheus, listen: "localhost:0" }]');
 * config?.sinks[0]?.name; //=> 'prometheus'
 *
 * const { issues } = readConfig('sources: []\nsinks:\n  - type: prometheus\n    lisen: localhost:9464\n');
 * issues; //=> [{ line: 4, column: 5, message: 'sinks[0].lisen is not a known key: did you mean listen?' }]
 * ```
 */
export function readConfig(text: string, options: ReadConfigOptions = {}): ReadConfig {
  assertOptions(options, READ_CONFIG);
  const { environment = {} } = options;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) return refused(document.errors.map((error) => syntaxIssue(lines, error)));
  const unset = substituteVariables(document, lines, environment);
  if (unset.length > 0) return refused(unset);
  let data: unknown;
  try {
    data = document.toJS();
  } catch (error) {
    return refused([
      issueAt(lines, undefined, `the aliases cannot be followed: ${(error as Error).message}`),
    ]);
  }
  const { data: config, error } = CONFIG_SCHEMA.safeParse(data);
  if (config !== undefined) return { config, issues: [] };
  const issues = error!.issues.flatMap((issue) =>
    explained(issue, data).map(({ path, atKey, message }) =>
      issueAt(lines, nodeAt(document, path, atKey), message),
    ),
  );
  return refused(issues);
}

const READ_CONFIG: OptionsOwner<ReadConfigOptions> = {
  name: 'readConfig',
  names: { environment: true },
  call: 'readConfig(text, { environment: process.env })',
};

/**
 * Reads the configuration in a file.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` with a line `FILE:LINE:COLUMN: …` for each problem; `ERR_TOO_LARGE` above
 *   1 MiB. Errors of the file system pass through.
 */
export async function readConfigFile(path: string, options: ReadConfigOptions = {}): Promise<AgentConfig> {
  const { size } = await stat(path);
  if (size > LONGEST_BYTES) {
    const message = `a configuration must be at most ${LONGEST_BYTES} bytes long, got ${size} in ${path}`;
    throw new HdrscopeError('ERR_TOO_LARGE', message);
  }
  const { config, issues } = readConfig(await readFile(path, 'utf8'), options);
  if (config !== undefined) return config;
  const lines = issues.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  throw new HdrscopeError('ERR_INVALID_OPTION', lines.join('\n'));
}

function refused(issues: readonly ConfigIssue[]): ReadConfig {
  const inOrder = [...issues].sort((a, b) => a.line - b.line || a.column - b.column);
  return { config: undefined, issues: inOrder };
}

function syntaxIssue(lines: LineCounter, error: YAMLError): ConfigIssue {
  const { line, col } = lines.linePos(error.pos[0]);
  return { line: Math.max(1, line), column: Math.max(1, col), message: `this is not YAML: ${error.message}` };
}

interface Explained {
  readonly path: Path;
  /** Whether the problem is the key, and not its value. */
  readonly atKey: boolean;
  readonly message: string;
}

function explained(issue: z.core.$ZodIssue, data: unknown): Explained[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const hints = issue.message.split('\n');
    return issue.keys.map((key, at) => {
      const ownPath = [...path, key];
      return { path: ownPath, atKey: true, message: `${pathText(ownPath)} ${hints[at]}` };
    });
  }
  const got = valueAt(data, path);
  const where = path.length === 0 ? 'the configuration' : pathText(path);
  const isMissing = got === undefined && path.length > 0;
  const message = isMissing
    ? `${where} is missing: it ${issue.message}`
    : `${where} ${issue.message}, got ${echo(got)}`;
  return [{ path, atKey: false, message }];
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function echo(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `a mapping of ${Object.keys(value).join(', ')}`;
  if (value === null || value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}… (${text.length} characters)`;
}
