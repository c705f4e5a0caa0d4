import { open } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  assertText,
  filledText,
  type OptionRules,
  object,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { formatCount, listNames, parseSmallYaml, type YamlLimits } from '@hdrscope/kit';
import { type Document, Lexer, LineCounter, parseDocument, type YAMLError } from 'yaml';
import type * as z from '#zod';
import { type AgentConfig, sealConfig } from './agent-config.ts';
import {
  type ConfigIssue,
  issueAt,
  keyIssues,
  LONGEST_KEY,
  nodeAt,
  type Path,
  pathText,
  substituteVariables,
} from './document.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import { isSecret } from './secrets.ts';

/** The result of parsing a text: a configuration, or its problems. */
export type ParsedConfig =
  | { readonly config: AgentConfig; readonly issues: readonly []; readonly moreIssues: 0 }
  | {
      readonly config: undefined;
      /** The first 20 problems, in the order of lines. */
      readonly issues: readonly ConfigIssue[];
      /** How many problems there are beyond those. */
      readonly moreIssues: number;
    };

/** The source of variables. */
export interface ParseConfigOptions {
  /** Values for `${NAME}`. @default no variables */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The limits of the text of a configuration. A thousand entries need less than half of each. */
const CONFIG_LIMITS: YamlLimits = {
  bytes: 2 ** 20,
  lines: 20_000,
  elements: 50_000,
  depth: 32,
  aliases: 5000,
};

// The parser would compare each key of a mapping with all others. `keyIssues` finds those that come twice.
const PARSER = { prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;

// Nobody mends more at once.
const MOST_ISSUES = 20;

/**
 * Parses a configuration in YAML, or JSON, which is YAML too. Reports all problems at once, each with its place. No problem shows
 * a token, a header, the user and password of a URL, or the value of a variable. A text of more than 1 MiB, 20,000 lines, 50,000
 * elements or 32 levels is a problem too, and is not parsed.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { parseConfig } from '@hdrscope/agent';
 *
 * const { config } = parseConfig('sources: []\nsinks: [{ type: prometheus, listen: "localhost:0" }]');
 * config?.sinks[0]?.name; //=> 'prometheus'
 *
 * const { issues } = parseConfig('sources: []\nsinks:\n  - type: prometheus\n    lisen: localhost:9464\n');
 * issues; //=> [{ line: 4, column: 5, message: 'sinks[0].lisen is not a known key: did you mean listen?' }]
 * ```
 */
export function parseConfig(text: string, options: ParseConfigOptions = {}): ParsedConfig {
  assertText('the text', text);
  const { environment } = readOptions(options, PARSE_CONFIG);
  const lines = new LineCounter();
  let document: Document.Parsed;
  try {
    const parse = () => parseDocument(text, { lineCounter: lines, ...PARSER });
    document = parseSmallYaml(
      text,
      { tokens: new Lexer().lex(text), parse },
      'a configuration',
      CONFIG_LIMITS,
    );
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    return refused([issueAt(lines, undefined, error.message)]);
  }
  const problems = [
    ...document.errors.map((error) => describeSyntaxError(lines, error)),
    ...keyIssues(document, lines),
  ];
  if (problems.length > 0) return refused(problems);
  const { issues: unset, texts, variables } = substituteVariables(document, lines, environment);
  if (unset.length > 0) return refused(unset);
  let data: unknown;
  try {
    data = document.toJS();
  } catch {
    return refused([issueAt(lines, undefined, 'the aliases cannot be followed: write out what they mean')]);
  }
  const { data: config, error } = CONFIG_SCHEMA.safeParse(data);
  if (config !== undefined) return { config: sealConfig(config, variables), issues: [], moreIssues: 0 };
  const issues = error!.issues.flatMap((issue) =>
    explain(issue, data, texts).map(({ path, atKey, message }) =>
      issueAt(lines, nodeAt(document, path, atKey), message),
    ),
  );
  return refused(issues);
}

const PARSE_CONFIG = {
  name: 'parseConfig',
  rules: { environment: withDefault(object(), {}) } satisfies OptionRules<ParseConfigOptions>,
  call: 'parseConfig(text, { environment: process.env })',
};

/**
 * Reads the configuration in a file.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` with a line `FILE:LINE:COLUMN: …` for each of the first 20 problems, and with the
 *   details `issues` and `moreIssues`; `ERR_TOO_LARGE` above 1 MiB. Errors of the file system pass through.
 */
export async function readConfigFile(path: string, options: ParseConfigOptions = {}): Promise<AgentConfig> {
  assertFollows('the path', filledText('the path of a file'), path);
  const { config, issues, moreIssues } = parseConfig(await readText(path), options);
  if (config !== undefined) return config;
  const lines = issues.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  if (moreIssues > 0) {
    lines.push(`${path}: and ${formatCount(moreIssues)} more`);
  }
  throw new HdrscopeError('ERR_INVALID_OPTION', lines.join('\n'), { details: { issues, moreIssues } });
}

/** A longer file is not a configuration: somebody named the wrong file, which may also be a device without an end. */
async function readText(path: string): Promise<string> {
  const most = CONFIG_LIMITS.bytes;
  const file = await open(path);
  try {
    const bytes: Buffer[] = [];
    let length = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, end: most })) {
      bytes.push(chunk as Buffer);
      length += (chunk as Buffer).length;
    }
    if (length <= most) return Buffer.concat(bytes).toString();
    throw new HdrscopeError(
      'ERR_TOO_LARGE',
      `a configuration must have at most ${most} bytes: ${path} has more`,
      {
        details: { what: path, limit: 'bytes', most },
      },
    );
  } finally {
    await file.close();
  }
}

function refused(issues: readonly ConfigIssue[]): ParsedConfig {
  const inOrder = [...issues].sort((a, b) => a.line - b.line || a.column - b.column);
  const moreIssues = Math.max(0, inOrder.length - MOST_ISSUES);
  return { config: undefined, issues: inOrder.slice(0, MOST_ISSUES), moreIssues };
}

function describeSyntaxError(lines: LineCounter, { pos, code, message }: YAMLError): ConfigIssue {
  const { line, col } = lines.linePos(pos[0]);
  // Many messages end with a part of the text, which may be a secret.
  const [reason] = code === 'BAD_DQ_ESCAPE' ? ['Invalid escape sequence'] : message.split(/(?<=[\w)]): /);
  return { line: Math.max(1, line), column: Math.max(1, col), message: `this is not YAML: ${reason}` };
}

interface Explanation {
  readonly path: Path;
  /** Whether the problem is the key, and not its value. */
  readonly atKey: boolean;
  readonly message: string;
}

function explain(issue: z.core.$ZodIssue, data: unknown, texts: ReadonlyMap<unknown, string>): Explanation[] {
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
  if (isMissing) return [{ path, atKey: false, message: `${where} is missing: it ${issue.message}` }];
  const shown = isSecret(path, got) ? describeKind(got) : (describeVariable(got, texts) ?? echo(got));
  return [{ path, atKey: false, message: `${where} ${issue.message}, got ${shown}` }];
}

/** A secret, by its kind and length. */
function describeKind(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  return value === null ? 'nothing' : `a text of ${String(value).length} characters`;
}

/** A value that came of variables, by its text in the file. */
function describeVariable(value: unknown, texts: ReadonlyMap<unknown, string>): string | undefined {
  const text = texts.get(value);
  return text === undefined ? undefined : `${text}, which is ${describeKind(value)}`;
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

const MOST_KEYS = 10;

function listKeys(mapping: object): string {
  const keys = Object.keys(mapping).map((key) => key.slice(0, LONGEST_KEY));
  return listNames(keys, MOST_KEYS);
}

function echo(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `a mapping of ${listKeys(value)}`;
  if (value === null || value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}… (${text.length} characters)`;
}
