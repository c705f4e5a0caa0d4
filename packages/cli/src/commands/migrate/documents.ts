import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { parseSmallYaml, type YamlLimits } from '@hdrscope/kit';
import { Lexer, parseAllDocuments } from 'yaml';
import { type Io, Refusal } from '../../command.ts';
import { nameOfPath, wholeText } from '../../inputs/input.ts';
import { refusing } from '../../system-error.ts';
import { type DocumentQuery, findQueries } from './find-queries.ts';

/** A file with queries. */
export interface QueryFile {
  readonly path: string;
  readonly text: string;
  readonly queries: readonly DocumentQuery[];
  /** Reads the queries of a changed text. `undefined` where the text is a query, and no document. */
  readonly readAgain: ((text: string) => readonly DocumentQuery[]) | undefined;
}

/** A program in a file. */
export interface CodeFile {
  readonly path: string;
  readonly text: string;
}

/** A file of a folder that may have queries, and cannot be read. */
export interface UnreadFile {
  readonly path: string;
  readonly reason: string;
}

const LIMITS: YamlLimits = { bytes: 2 ** 24, lines: 500_000, elements: 3_000_000, depth: 60, aliases: 5000 };

// The parser would compare each key of a mapping with all others.
const PARSER = { prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;

/**
 * The queries of a text in YAML or JSON, which is YAML too.
 *
 * @throws Refusal when it is neither.
 */
function readQueries(text: string, path: string): DocumentQuery[] {
  const documents = parseText(text, path);
  return documents.flatMap(({ contents, errors: [error] }) => {
    if (error !== undefined) {
      const line = text.slice(0, error.pos[0]).split('\n').length;
      throw new Refusal(`${path} must be YAML or JSON: line ${line}: ${error.message.replace(/\s+/g, ' ')}`);
    }
    return findQueries(text, contents);
  });
}

function parseText(text: string, path: string) {
  try {
    const parse = () => [...parseAllDocuments(text, PARSER)];
    return parseSmallYaml(text, { tokens: new Lexer().lex(text), parse }, path, LIMITS);
  } catch (cause) {
    if (cause instanceof HdrscopeError) throw new Refusal(cause.message, { cause });
    throw cause;
  }
}

/** Reads the files and folders of a command line. Files of a folder that have nothing to migrate are left out. */
export async function readFiles(
  paths: readonly string[],
  io: Io,
): Promise<{
  readonly files: readonly QueryFile[];
  readonly programs: readonly CodeFile[];
  readonly unread: readonly UnreadFile[];
}> {
  const files: QueryFile[] = [];
  const programs: CodeFile[] = [];
  const unread: UnreadFile[] = [];
  for (const path of paths) {
    const isFolder = path !== '-' && (await refusing(path, () => stat(path))).isDirectory();
    if (!isFolder && CODE.test(path)) programs.push({ path, text: await readText(path) });
    else if (!isFolder) files.push(assertQueries(await readQueryFile(path, io)));
    else {
      for (const inside of await listFiles(path)) {
        let text: string | undefined;
        try {
          text = await readText(inside);
          if (CODE.test(inside)) {
            programs.push({ path: inside, text });
            continue;
          }
          const file = parseFile(inside, text);
          if (file.queries.length > 0) files.push(file);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          // Templates of other programs are no YAML, and most of them have no queries.
          if (text === undefined || HISTOGRAM_PART.test(text))
            unread.push({ path: inside, reason: error.message });
        }
      }
    }
  }
  return { files, programs, unread };
}

async function readQueryFile(path: string, io: Io): Promise<QueryFile> {
  const name = nameOfPath(path);
  return parseFile(
    path,
    path === '-' ? await wholeText({ name, source: io.stdin }, WHAT) : await readText(path),
  );
}

/** Reads the queries of a text. @throws Refusal when it is neither YAML nor JSON. */
function parseFile(path: string, text: string): QueryFile {
  const readAgain = (changed: string): DocumentQuery[] => readQueries(changed, nameOfPath(path));
  return { path, text, queries: readAgain(text), readAgain };
}

const HISTOGRAM_PART = /_bucket\b|\bhistogram_quantile\b/;

/** @throws Refusal when a file that was named has no queries. */
function assertQueries(file: QueryFile): QueryFile {
  if (file.queries.length > 0) return file;
  throw new Refusal(
    `${nameOfPath(file.path)} has no queries: name rule files of Prometheus, dashboards of Grafana, or objectives of sloth`,
  );
}

const WHAT = 'a file with queries';

async function readText(path: string): Promise<string> {
  const bytes = await refusing(path, () => readFile(path));
  if (bytes.length > LIMITS.bytes)
    throw new Refusal(`${path} must have at most ${LIMITS.bytes} bytes, got ${bytes.length}`);
  if (!isUtf8(bytes)) throw new Refusal(`${path} must be UTF-8`);
  return bytes.toString();
}

const ENDINGS = /\.(ya?ml|json)$|(?<!\.d)\.[cm]?[jt]sx?$/i;
const CODE = /\.[cm]?[jt]sx?$/i;
async function listFiles(folder: string): Promise<string[]> {
  const entries = await refusing(folder, () => readdir(folder, { withFileTypes: true }));
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) for (const inside of await listFiles(path)) found.push(inside);
    if (entry.isFile() && ENDINGS.test(entry.name)) found.push(path);
  }
  return found;
}
