import type { NewExpression, Node, ObjectExpression } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { assertFree, findImportsEnd, formatImport, listImportItems } from './added-imports.ts';
import {
  type CodeChange,
  type CodeNote,
  catchObstacle,
  NOTHING_PLANNED,
  type PlannedCode,
} from './change.ts';
import { indentAt, insertAt, readNewline, readStyle, removeItem, removeRange, replaceNode } from './edits.ts';
import { type CodeModule, findExported, type ImportedName } from './module.ts';
import { findEnd, findLine, findStart, Obstacle, readKey } from './syntax.ts';

const STOCK: ReadonlySet<string> = new Set(['@opentelemetry/exporter-prometheus']);
const STOCK_NAME = 'PrometheusExporter';
const OUR_NAME = 'HdrPrometheusExporter';

/** The options that mean the same to both exporters. */
const KEPT: ReadonlySet<string> = new Set([
  ...['host', 'port', 'endpoint', 'prefix', 'appendTimestamp', 'preventServerStart'],
  ...['metricProducers', 'withResourceConstantLabels', 'withoutScopeInfo', 'withoutTargetInfo'],
]);

/** Those that keep the names and the classic buckets on the page. */
const ADDED = ['buckets', 'translationStrategy'] as const;

const CLASSIC_BUCKETS: CodeNote = {
  code: 'buckets',
  text: "the SDK now counts in exponential buckets, and the classic ones beside them may have other boundaries: with buckets: 'classic' they are as before",
};
const ALL_INTERFACES: CodeNote = {
  code: 'host',
  text: 'host states what stock exporters of SDK 2 do without it, and listen on all interfaces: leave it out to listen on localhost alone',
};

/** Replaces the stock exporter of OpenTelemetry, where it is made with options that are known. */
export function planExporter(code: CodeModule): PlannedCode {
  const imported = code.imports.filter(({ source }) => STOCK.has(source));
  const made = imported
    .flatMap(({ binding }) => binding.references)
    .flatMap(({ node }) => listMade(code, node));
  if (made.length === 0) return NOTHING_PLANNED;
  const planned = catchObstacle(() => {
    assertFree(code, [OUR_NAME]);
    // One class takes the place of the other, so one use that has no equal keeps all.
    assertUses(code, imported);
    const style = readStyle(code, imported[0]!.statement);
    return {
      edits: [
        ...made.flatMap((one) => rewriteOptions(code, one, style.quote)),
        ...imported.flatMap(({ binding, exported }) =>
          binding.references.flatMap(({ node }) => {
            const used = exported === '*' ? code.parentOf.get(node)! : node;
            const isOther = exported !== STOCK_NAME && (exported !== '*' || readMember(used) !== STOCK_NAME);
            return isOther ? [] : [replaceNode(used, OUR_NAME)];
          }),
        ),
        ...replaceImport(code, imported, formatImport([OUR_NAME], '@hdrscope/prometheus', imported, style)),
      ],
      notes: made.map((one) => listNotes(one)),
    };
  });
  const changes = made.map((one, at): CodeChange => {
    const where = { line: findLine(code, one), place: STOCK_NAME };
    if (planned instanceof Obstacle)
      return { ...where, verdict: { outcome: 'refused', reason: planned.message } };
    return { ...where, verdict: { outcome: 'rewritten', notes: planned.notes[at]! } };
  });
  return { changes, edits: planned instanceof Obstacle ? [] : planned.edits };
}

/** `new PrometheusExporter(…)` by a name of the class or of the package. */
function listMade(code: CodeModule, node: Node): NewExpression[] {
  const member = code.parentOf.get(node);
  const callee = findExported(code, node, STOCK) === '*' && member !== undefined ? member : node;
  if (findExported(code, callee, STOCK) !== STOCK_NAME) return [];
  const made = code.parentOf.get(callee);
  return made?.type === 'NewExpression' && made.callee === callee ? [made] : [];
}

function readMember(node: Node): string | undefined {
  if (node.type === 'MemberExpression') return readKey(node.property, node.computed);
  return node.type === 'TSQualifiedName' ? node.right.name : undefined;
}

/** Both classes have the same methods, so types and `instanceof` may name the other one, too. @throws Obstacle */
function assertUses(code: CodeModule, imported: readonly ImportedName[]): void {
  for (const { binding, exported } of imported) {
    for (const { node, isType } of binding.references) {
      const parent = code.parentOf.get(node);
      if (exported === '*') {
        if (parent === undefined || readMember(parent) === undefined)
          throw new Obstacle(node, `line ${findLine(code, node)} passes on the package`);
        continue;
      }
      if (exported !== STOCK_NAME || isType) continue;
      const isKnown =
        (parent?.type === 'NewExpression' && parent.callee === node) ||
        (parent?.type === 'BinaryExpression' && parent.operator === 'instanceof');
      if (!isKnown)
        throw new Obstacle(
          node,
          `line ${findLine(code, node)} uses ${STOCK_NAME} in a way that has no equal`,
        );
    }
  }
}

function findLiteral({ arguments: [options] }: NewExpression): ObjectExpression | undefined {
  return options?.type === 'ObjectExpression' ? options : undefined;
}

function rewriteOptions(code: CodeModule, made: NewExpression, quote: string): LiteralEdit[] {
  const literal = findLiteral(made);
  const [options] = made.arguments;
  if (literal === undefined && options !== undefined)
    throw new Obstacle(options, `line ${findLine(code, options)}: its options are known only at run time`);
  const added = [
    ...(listNotes(made).includes(ALL_INTERFACES)
      ? [`host: process.env.OTEL_EXPORTER_PROMETHEUS_HOST || ${quote}0.0.0.0${quote}`]
      : []),
    `buckets: ${quote}both${quote}`,
    `translationStrategy: ${quote}UnderscoreEscapingWithoutUnits${quote}`,
  ];
  if (literal === undefined) {
    const text = `({ ${added.join(', ')} })`;
    return [{ from: findEnd(made.callee), to: findEnd(made), text }];
  }
  const { properties } = literal;
  for (const property of properties) assertOption(code, property);
  const last = properties.at(-1);
  if (last === undefined) return [replaceNode(literal, `{ ${added.join(', ')} }`)];
  const lineStart = code.text.lastIndexOf('\n', findStart(last) - 1) + 1;
  const isOnOwnLine = code.text.slice(lineStart, findStart(last)).trim() === '';
  const separator = isOnOwnLine ? `,${readNewline(code)}${indentAt(code, findStart(last))}` : ', ';
  return [insertAt(findEnd(last), separator + added.join(separator))];
}

function assertOption(code: CodeModule, property: ObjectExpression['properties'][number]): void {
  const line = findLine(code, property);
  const key = property.type === 'ObjectProperty' ? readKey(property.key, property.computed) : undefined;
  if (key === undefined || property.type !== 'ObjectProperty')
    throw new Obstacle(property, `line ${line}: its options are known only at run time`);
  if (!KEPT.has(key) || ADDED.some((name) => name === key))
    throw new Obstacle(property, `line ${line}: its option ${key} has no equal`);
  const { value } = property;
  if (key === 'port' && value.type === 'NumericLiteral' && value.value === 0)
    throw new Obstacle(property, `line ${line}: port 0 is 9464 for it, and any free port for ${OUR_NAME}`);
}

function listNotes(made: NewExpression): CodeNote[] {
  const values = new Map(
    (findLiteral(made)?.properties ?? []).flatMap((property) =>
      property.type === 'ObjectProperty'
        ? [[readKey(property.key, property.computed), property.value] as const]
        : [],
    ),
  );
  const prevents = values.get('preventServerStart');
  const listens = prevents?.type !== 'BooleanLiteral' || !prevents.value;
  return [CLASSIC_BUCKETS, ...(listens && !values.has('host') ? [ALL_INTERFACES] : [])];
}

/** Puts an import in the place of the one that has the class alone, or takes the class out of the others. */
function replaceImport(code: CodeModule, imported: readonly ImportedName[], text: string): LiteralEdit[] {
  const edits: LiteralEdit[] = [];
  let isPlaced = false;
  for (const { binding, statement, exported } of imported) {
    if (exported !== STOCK_NAME) continue;
    const items = listImportItems(statement);
    const all = statement.type === 'ImportDeclaration' ? statement.specifiers.length : items.length;
    const { identifier } = binding;
    const item = items.find(
      (one) => findStart(one) <= findStart(identifier) && findEnd(identifier) <= findEnd(one),
    );
    if (item !== undefined && all > 1) edits.push(removeItem(code, items, item));
    else if (isPlaced) edits.push(removeRange(code, findStart(statement), findEnd(statement)));
    else {
      edits.push(replaceNode(statement, text));
      isPlaced = true;
    }
  }
  const { newline } = readStyle(code, imported[0]!.statement);
  return isPlaced ? edits : [...edits, insertAt(findImportsEnd(code, imported), newline + text)];
}
