import type { QueryUse } from '@hdrscope/prometheus/internal';
import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { type Literal, readLiteral } from './literals.ts';

/** A query of a document, and where it is. */
export interface DocumentQuery {
  readonly literal: Literal;
  /** The part of the literal that is PromQL: a variable of Grafana has functions of its own around it. */
  readonly part: { readonly from: number; readonly to: number };
  readonly use: QueryUse;
  readonly legend: string | undefined;
  /** The name that a rule records. */
  readonly record: Literal | undefined;
  /** What the query belongs to, as in `panel "Latency"`. */
  readonly place: string;
  /** Why the query cannot be rewritten here, whatever it is. */
  readonly obstacle?: string;
}

/** What the queries inside of a part of a document belong to. */
interface Surroundings {
  readonly place: string;
  readonly isHeatmap: boolean;
  readonly isVariable: boolean;
}

const SURROUNDINGS: Surroundings = { place: '', isHeatmap: false, isVariable: false };

/** The keys of queries in sloth's files and in those of its operator. */
const SLOTH_KEYS: ReadonlySet<string> = new Set([
  ...['error_query', 'total_query', 'error_ratio_query'],
  ...['errorQuery', 'totalQuery', 'errorRatioQuery'],
]);

/**
 * Finds the queries of rule files of Prometheus, dashboards of Grafana (panels, rows, library panels, annotations, variables, alerts) and
 * objectives of sloth and Pyrra. Each is known by the keys around it, so a document may have several of these.
 */
export function findQueries(document: string, root: unknown): DocumentQuery[] {
  const found: DocumentQuery[] = [];
  visit(document, root, SURROUNDINGS, found);
  return found;
}

function visit(document: string, node: unknown, around: Surroundings, found: DocumentQuery[]): void {
  if (isSeq(node)) {
    for (const item of node.items) visit(document, item, around, found);
    return;
  }
  if (!isMap(node)) return;
  const inside = describeMap(node, around);
  if (isForeign(node)) return;
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const literal = readLiteral(document, value);
    if (literal === undefined)
      visit(document, value, { ...inside, isVariable: inside.isVariable || name === 'templating' }, found);
    else {
      const query = readQuery(document, node, name, literal, inside);
      if (query !== undefined) found.push(query);
    }
  }
}

function readQuery(
  document: string,
  map: YAMLMap,
  key: string,
  literal: Literal,
  { place, isHeatmap, isVariable }: Surroundings,
): DocumentQuery | undefined {
  const whole = {
    literal,
    part: { from: 0, to: literal.text.length },
    legend: undefined,
    record: undefined,
    place,
  };
  if (isVariable && (key === 'query' || key === 'definition')) return readVariable(whole);
  if (SLOTH_KEYS.has(key)) return { ...whole, use: 'query', place: key };
  if (key === 'metric' && map.has('metric') && literal.text.includes('_bucket')) {
    return {
      ...whole,
      use: 'series',
      obstacle: 'Pyrra has an indicator of its own for native histograms: latencyNative',
    };
  }
  if (key !== 'expr') return undefined;
  const record = readLiteral(document, map.get('record', true));
  if (record !== undefined) return { ...whole, use: 'rule', record, place: `record ${record.text}` };
  const alert = readLiteral(document, map.get('alert', true));
  if (alert !== undefined) return { ...whole, use: 'alert', place: `alert ${alert.text}` };
  const legend = readLiteral(document, map.get('legendFormat', true))?.text;
  return { ...whole, use: isHeatmap ? 'heatmap' : 'panel', legend };
}

const LABEL_VALUES = /^(\s*label_values\s*\()(.*),\s*([\w${}:]+)\s*\)\s*$/s;
const QUERY_RESULT = /^(\s*query_result\s*\()(.*)\)\s*$/s;

/** A query of a variable: `label_values(SELECTOR, LABEL)`, `query_result(QUERY)`. */
function readVariable(whole: Omit<DocumentQuery, 'use'>): DocumentQuery {
  const { text } = whole.literal;
  const [, before, inner, label] = LABEL_VALUES.exec(text) ?? QUERY_RESULT.exec(text) ?? [];
  if (inner === undefined) return { ...whole, use: 'query' };
  const part = { from: before!.length, to: before!.length + inner.length };
  const query = { ...whole, part, use: label === undefined ? 'query' : 'series' } as const;
  return label === 'le'
    ? { ...query, obstacle: 'it lists the bounds of buckets, which native histograms do not have' }
    : query;
}

/** What is known of the queries in a map: a panel, a variable or an annotation has a name. */
function describeMap(map: YAMLMap, around: Surroundings): Surroundings {
  const type =
    readText(map, 'type') ??
    readText(map.get('vizConfig'), 'kind') ??
    readText(map.get('vizConfig'), 'group');
  if (isSeq(map.get('targets')) || isMap(map.get('vizConfig'))) {
    const title = readText(map, 'title');
    return {
      ...around,
      place: title === undefined ? 'panel' : `panel "${title}"`,
      isHeatmap: type === 'heatmap',
    };
  }
  const name = readText(map, 'name');
  if (around.isVariable && name !== undefined) return { ...around, place: `variable ${name}` };
  return name !== undefined && around.place === '' && map.has('expr') ? { ...around, place: name } : around;
}

function readText(map: unknown, key: string): string | undefined {
  const value = isMap(map) ? map.get(key) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Whether a map states a data source that is no Prometheus. */
function isForeign(map: YAMLMap): boolean {
  const type = readText(map.get('datasource'), 'type');
  return type !== undefined && map.has('expr') && !/prometheus|mimir|cortex|thanos|^\$/.test(type);
}
