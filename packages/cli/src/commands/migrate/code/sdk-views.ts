import type { NewExpression, Node, ObjectExpression, ObjectProperty } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { assertFree, findImportsEnd, findStatement, formatImport, pickName } from './added-imports.ts';
import { catchObstacle, NOTHING_PLANNED, type PlannedCode } from './change.ts';
import { indentAt, insertAt, readStyle } from './edits.ts';
import { type CodeModule, findExported } from './module.ts';
import {
  findAround,
  findEnd,
  findLine,
  findStart,
  isFunction,
  Obstacle,
  readKey,
  readSource,
} from './syntax.ts';

const SDK: ReadonlySet<string> = new Set(['@opentelemetry/sdk-metrics']);

/** What selects instruments in views of the SDK and in those of hdrscope. */
const CRITERIA: ReadonlySet<string> = new Set([
  ...['instrumentName', 'instrumentType', 'instrumentUnit', 'meterName', 'meterVersion', 'meterSchemaUrl'],
]);

const HISTOGRAMS: ReadonlySet<string> = new Set(['EXPLICIT_BUCKET_HISTOGRAM', 'EXPONENTIAL_HISTOGRAM']);

/**
 * Wraps providers whose views state buckets of histograms. The views of the SDK stay, because they hold for HDR histograms as well: each
 * gets a view of hdrscope that selects the same instruments.
 */
export function planViews(code: CodeModule): PlannedCode {
  const imported = code.imports.filter(({ source }) => SDK.has(source));
  const made = imported
    .flatMap(({ binding }) => binding.references)
    .flatMap(({ node }) => listProviders(code, node))
    .filter((provider) => listViews(provider).some((view) => readAggregation(code, view) !== undefined));
  const [provider] = made;
  if (provider === undefined) return NOTHING_PLANNED;
  const where = { line: findLine(code, provider), place: 'views of MeterProvider' };
  const planned = catchObstacle(() => {
    if (made.length > 1) throw new Obstacle(made[1]!, 'this file makes several providers');
    assertFree(code, ['createHdr']);
    const name = pickName(code, ['hdr', 'hdrscope']);
    const style = readStyle(code, imported[0]!.statement);
    if (findAround(code, provider, isFunction) !== undefined)
      throw new Obstacle(provider, 'the provider is made within a function');
    const statement = findStatement(code, provider);
    const views = listViews(provider).flatMap((view) => selectSame(code, view));
    const indent = indentAt(code, findStart(statement));
    const declared = [
      `const ${name} = createHdr({`,
      `  views: [`,
      ...views.map((view) => `    { ${view} },`),
      '  ],',
      `})${style.semicolon}`,
    ];
    return [
      insertAt(
        findImportsEnd(code, imported),
        style.newline + formatImport(['createHdr'], '@hdrscope/otel', imported, style),
      ),
      insertAt(findStart(statement), declared.map((line) => `${line}${style.newline}${indent}`).join('')),
      insertAt(findStart(provider), `${name}.wrapProvider(`),
      ...wrapReaders(code, provider, name),
      insertAt(findEnd(provider), ')'),
    ];
  });
  if (planned instanceof Obstacle)
    return { changes: [{ ...where, verdict: { outcome: 'refused', reason: planned.message } }], edits: [] };
  return { changes: [{ ...where, verdict: { outcome: 'rewritten', notes: [] } }], edits: planned };
}

/** `new MeterProvider({ … })` that nothing wraps yet. */
function listProviders(code: CodeModule, node: Node): NewExpression[] {
  const member = code.parentOf.get(node);
  const callee = findExported(code, node, SDK) === '*' && member !== undefined ? member : node;
  if (findExported(code, callee, SDK) !== 'MeterProvider') return [];
  const made = code.parentOf.get(callee);
  if (made?.type !== 'NewExpression' || made.callee !== callee) return [];
  const around = code.parentOf.get(made);
  const isWrapped =
    around?.type === 'CallExpression' &&
    around.callee.type === 'MemberExpression' &&
    readKey(around.callee.property, around.callee.computed) === 'wrapProvider';
  return isWrapped ? [] : [made];
}

function findOption(literal: Node | undefined, name: string): ObjectProperty | undefined {
  if (literal?.type !== 'ObjectExpression') return undefined;
  return literal.properties.find(
    (property): property is ObjectProperty =>
      property.type === 'ObjectProperty' && readKey(property.key, property.computed) === name,
  );
}

function listItems(provider: NewExpression, option: string): readonly (Node | null)[] {
  const value = findOption(provider.arguments[0], option)?.value;
  return value?.type === 'ArrayExpression' ? value.elements : [];
}

function listViews(provider: NewExpression): ObjectExpression[] {
  return listItems(provider, 'views').filter(
    (view): view is ObjectExpression => view?.type === 'ObjectExpression',
  );
}

/** The kind of histogram that a view states. */
function readAggregation(code: CodeModule, view: ObjectExpression): string | undefined {
  const type = findOption(findOption(view, 'aggregation')?.value, 'type')?.value;
  if (type?.type !== 'MemberExpression') return undefined;
  if (findExported(code, type.object, SDK) !== 'AggregationType') {
    const { object } = type;
    if (object.type !== 'MemberExpression' || readKey(object.property, object.computed) !== 'AggregationType')
      return undefined;
  }
  const name = readKey(type.property, type.computed);
  return name !== undefined && HISTOGRAMS.has(name) ? name : undefined;
}

/** The view of hdrscope for the instruments of a view of the SDK with buckets. */
function selectSame(code: CodeModule, view: ObjectExpression): string[] {
  if (readAggregation(code, view) === undefined) return [];
  const criteria: string[] = [];
  for (const property of view.properties) {
    const key = property.type === 'ObjectProperty' ? readKey(property.key, property.computed) : undefined;
    if (key === undefined)
      throw new Obstacle(property, `line ${findLine(code, property)}: a view is known only at run time`);
    if (!CRITERIA.has(key) || property.type !== 'ObjectProperty') continue;
    const { value } = property;
    const isFixed = value.type === 'StringLiteral' || value.type === 'MemberExpression';
    if (!isFixed)
      throw new Obstacle(
        property,
        `line ${findLine(code, property)}: ${key} of a view is known only at run time`,
      );
    criteria.push(`${key}: ${readSource(code, value)}`);
  }
  if (criteria.length === 0) throw new Obstacle(view, `line ${findLine(code, view)}: a view selects nothing`);
  return [criteria.join(', ')];
}

function wrapReaders(code: CodeModule, provider: NewExpression, name: string): LiteralEdit[] {
  const option = findOption(provider.arguments[0], 'readers');
  const readers = listItems(provider, 'readers');
  if (option === undefined || option.value.type !== 'ArrayExpression' || readers.length === 0)
    throw new Obstacle(provider, 'its readers are not in a list, so they cannot be wrapped');
  return readers.flatMap((reader) => {
    if (reader === null || reader.type === 'SpreadElement')
      throw new Obstacle(option, `line ${findLine(code, option)}: a reader is known only at run time`);
    return [insertAt(findStart(reader), `${name}.wrapReader(`), insertAt(findEnd(reader), ')')];
  });
}
