import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { malformed } from '@hdrscope/core/internal';
import {
  asArray,
  asObject,
  asText,
  Budget,
  parseJson,
  parseSmallYaml,
  wildcard,
  type YamlLimits,
} from '@hdrscope/kit';
import { Lexer, parse } from 'yaml';
import { formatInstance, metricsUrl, type ScrapeTarget } from './target.ts';

/** A file of 20,000 targets with labels needs half of each. */
const LIMITS: YamlLimits = { bytes: 4 * 2 ** 20, lines: 200_000, elements: 400_000, depth: 8, aliases: 1000 };

/**
 * The paths of the files that a path names: `*` and `?` in its last part stand for any characters and for one.
 *
 * @throws The system's error when the folder of such a path cannot be read.
 */
export async function listFiles(path: string): Promise<readonly string[]> {
  const pattern = basename(path);
  if (!/[*?]/.test(pattern)) return [path];
  const folder = dirname(path);
  const names = await readdir(folder);
  const named = wildcard(pattern, { ignoresCase: false });
  return names
    .filter((name) => named.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/**
 * Reads the targets of a file in the form of Prometheus' file_sd.
 * Source: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#file_sd_config
 *
 * @throws HdrscopeError `ERR_DECODE` when the file has another form; `ERR_TOO_LARGE` when it passes a limit. The system's error when it
 *   cannot be read.
 */
export async function readTargetFile(path: string, job: string): Promise<readonly ScrapeTarget[]> {
  const groups = asArray(parseFile(await readText(path), path), path);
  return groups.flatMap((group, i) => {
    const where = `${path}: [${i}]`;
    const { targets, labels = {} } = asObject(group, where);
    const named = Object.entries(asObject(labels, `${where}.labels`)).map(
      ([name, value]) => [name, asText(value, `${where}.labels.${name}`)] as const,
    );
    return asArray(targets, `${where}.targets`).map((address, at) =>
      makeTarget(asText(address, `${where}.targets[${at}]`), new Map(named), job, `${where}.targets[${at}]`),
    );
  });
}

async function readText(path: string): Promise<string> {
  const file = await open(path);
  try {
    new Budget(path, LIMITS).takeBytes((await file.stat()).size);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function parseFile(text: string, path: string): unknown {
  if (path.endsWith('.json')) return parseJson(text, path, new Budget(path, LIMITS));
  return parseSmallYaml(text, { tokens: new Lexer().lex(text), parse: () => parse(text) }, path, LIMITS);
}

/** Labels that begin with two underscores say how the target is asked, and series do not get them. */
function makeTarget(
  address: string,
  labels: ReadonlyMap<string, string>,
  job: string,
  where: string,
): ScrapeTarget {
  const scheme = labels.get('__scheme__') ?? 'http';
  const text = `${scheme}://${labels.get('__address__') ?? address}`;
  if (!/^https?$/.test(scheme) || !URL.canParse(text) || /[/@?#]/.test(address)) {
    throw malformed(where, 'a host and a port, such as localhost:9100', address);
  }
  const url = metricsUrl(text);
  const path = labels.get('__metrics_path__');
  if (path !== undefined) url.pathname = path;
  for (const [name, value] of labels) {
    if (name.startsWith('__param_')) url.searchParams.append(name.slice('__param_'.length), value);
  }
  const own = [...labels].filter(([name]) => !name.startsWith('__'));
  const attributes = { job, instance: formatInstance(url), ...Object.fromEntries(own) };
  return { id: url.href, url: url.href, attributes, isLasting: true };
}
