import { addedUnitWords, BETWEEN_WORDS, unitOfName } from '@hdrscope/registry/internal';
import type { NewExpression, Node, ObjectExpression, ObjectProperty } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { indentAt, insertAt, readNewline, removeItem } from './edits.ts';
import { type CodeModule, findExported } from './module.ts';
import { evaluateNumber, evaluateText, readConstant } from './static-values.ts';
import { findEnd, findStart, Obstacle, readKey, readSource } from './syntax.ts';

/** A histogram of a client, as its options state it. */
export interface ClientHistogram {
  readonly name: string;
  /** The unit that the name states in a word, such as `s`, else ''. */
  readonly unit: string;
  /** The names of its labels; `undefined` when they are known only at run time. */
  readonly labelNames: readonly string[] | undefined;
  /** Whether it certainly has no labels. Its one series is on the page from the start. */
  readonly isWithoutLabels: boolean;
  /** The elements of `registers`; `undefined` for the register of the client. */
  readonly registers: readonly Node[] | undefined;
}

/** The boundaries of a client's histogram that states none. */
const CLIENT_BOUNDARIES = '[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]';

type Options = ReadonlyMap<string, ObjectProperty>;

/**
 * Reads the options of `new Histogram({ … })`.
 *
 * @throws Obstacle when an option has no equal, or its value is known only at run time.
 */
export function readHistogram(
  code: CodeModule,
  made: NewExpression,
  sources: ReadonlySet<string>,
): ClientHistogram {
  const options = readOptions(made);
  const name = readName(code, made, options);
  const unit = unitOfName(name);
  if (unit === '' && resolutionOfName(name) === undefined) {
    throw new Obstacle(
      options.get('name')!,
      'its name ends with no unit such as _seconds, _bytes or _ms, so it is unknown how finely to count',
    );
  }
  // Pages join the words of a name by one underscore, and add the unit.
  const words = name.split(BETWEEN_WORDS).filter((word) => word !== '');
  const shown = [...words, ...addedUnitWords(name, unit)].join('_');
  if (shown !== name) throw new Obstacle(options.get('name')!, `its name would become ${shown}`);
  assertHelp(code, made, options);
  assertBuckets(code, options.get('buckets'), sources);
  const labelNames = readLabelNames(code, options.get('labelNames'));
  return {
    name,
    unit,
    labelNames,
    isWithoutLabels: labelNames?.length === 0,
    registers: readRegisters(options.get('registers')),
  };
}

/** A nanosecond in the unit that a name states in short. As a unit of the family, it would add a word to the name. */
function resolutionOfName(name: string): string | undefined {
  const ending = name.slice(name.lastIndexOf('_') + 1);
  return RESOLUTIONS.get(ending);
}

const RESOLUTIONS: ReadonlyMap<string, string> = new Map([
  ['sec', '1e-9'],
  ['secs', '1e-9'],
  ['ms', '1e-6'],
  ['millis', '1e-6'],
  ['us', '1e-3'],
  ['micros', '1e-3'],
  ['ns', '1'],
]);

const ALLOWED: ReadonlySet<string> = new Set(['name', 'help', 'labelNames', 'buckets', 'registers']);

function readOptions(made: NewExpression): Options {
  const options = new Map<string, ObjectProperty>();
  for (const property of readLiteral(made).properties) {
    const key = property.type === 'ObjectProperty' ? readKey(property.key, property.computed) : undefined;
    if (key === undefined || property.type !== 'ObjectProperty')
      throw new Obstacle(property, 'its options are known only at run time');
    if (!ALLOWED.has(key)) throw new Obstacle(property, `its option ${key} has no equal`);
    if (options.has(key)) throw new Obstacle(property, `its option ${key} is stated twice`);
    options.set(key, property);
  }
  return options;
}

function readLiteral(made: NewExpression): ObjectExpression {
  const [literal, ...others] = made.arguments;
  if (literal?.type !== 'ObjectExpression' || others.length > 0)
    throw new Obstacle(made, 'its options are known only at run time');
  return literal;
}

function readName(code: CodeModule, made: NewExpression, options: Options): string {
  const property = options.get('name');
  if (property === undefined) throw new Obstacle(made, 'it has no name');
  const name = evaluateText(code, property.value);
  if (name === undefined)
    throw new Obstacle(property, 'its name is known only at run time, and with it the unit');
  if (!/^[a-zA-Z_:][\w:]*$/.test(name)) throw new Obstacle(property, 'the client refuses its name');
  return name;
}

function assertHelp(code: CodeModule, made: NewExpression, options: Options): void {
  const property = options.get('help');
  if (property === undefined) throw new Obstacle(made, 'it has no help, which the client demands');
  const { value } = property;
  const constant = readConstant(code, code.scopes.find(value)) ?? value;
  if (constant.type !== 'TemplateLiteral' && !evaluateText(code, constant))
    throw new Obstacle(property, 'its help is known only at run time');
}

/** Boundaries that both count alike: numbers of at least 0, ascending. */
function assertBuckets(
  code: CodeModule,
  property: ObjectProperty | undefined,
  sources: ReadonlySet<string>,
): void {
  if (property === undefined) return;
  const value = readConstant(code, code.scopes.find(property.value)) ?? property.value;
  if (value.type === 'CallExpression') {
    const made = findExported(code, value.callee, sources);
    const numbers = value.arguments.map((argument) => evaluateNumber(code, argument));
    const isAscending =
      made === 'linearBuckets' ? numbers[0]! >= 0 && numbers[1]! > 0 : made === 'exponentialBuckets';
    if (isAscending && !numbers.includes(undefined)) return;
  }
  if (value.type !== 'ArrayExpression')
    throw new Obstacle(property, 'its buckets are known only at run time');
  let before = Number.NEGATIVE_INFINITY;
  for (const element of value.elements) {
    const bound = element === null ? undefined : evaluateNumber(code, element);
    if (bound === undefined)
      throw new Obstacle(element ?? property, 'a bound of its buckets is not a plain number');
    if (bound < 0) throw new Obstacle(element!, 'it counts values below 0, which have no place here');
    if (!(bound > before)) throw new Obstacle(element!, 'its buckets must ascend');
    before = bound;
  }
  if (value.elements.length === 0) throw new Obstacle(property, 'it has no buckets');
}

function readLabelNames(code: CodeModule, property: ObjectProperty | undefined): string[] | undefined {
  if (property === undefined) return [];
  let value: Node = readConstant(code, code.scopes.find(property.value)) ?? property.value;
  if (value.type === 'TSAsExpression') value = value.expression;
  if (value.type !== 'ArrayExpression') return undefined;
  const names: string[] = [];
  for (const element of value.elements) {
    const name = element === null ? undefined : evaluateText(code, element);
    if (name === undefined) return undefined;
    names.push(name);
  }
  return names;
}

function readRegisters(property: ObjectProperty | undefined): readonly Node[] | undefined {
  if (property === undefined) return undefined;
  const { value } = property;
  if (value.type !== 'ArrayExpression' || value.elements.length !== 1 || value.elements[0] === null)
    throw new Obstacle(property, 'it must have one register, or none that it states');
  return [value.elements[0]!];
}

/** Makes `registry.histogram({ … })` of `new Histogram({ … })`. Values, comments and layout stay. */
export function rewriteOptions(
  code: CodeModule,
  made: NewExpression,
  { name, unit, isWithoutLabels }: ClientHistogram,
  { registry, quote }: { readonly registry: string; readonly quote: string },
): LiteralEdit[] {
  const literal = readLiteral(made);
  const options = readOptions(made);
  const edits: LiteralEdit[] = [
    { from: findStart(made), to: findStart(literal), text: `${registry}.histogram(` },
  ];
  const rename = (key: string, to: string): void => {
    const property = options.get(key);
    if (property === undefined) return;
    const value = property.shorthand ? `${to}: ${readSource(code, property.value)}` : to;
    edits.push({
      from: findStart(property),
      to: property.shorthand ? findEnd(property) : findEnd(property.key),
      text: value,
    });
  };
  rename('help', 'description');
  rename('buckets', 'boundaries');
  const added = [unit === '' ? `resolution: ${resolutionOfName(name)}` : `unit: ${quote}${unit}${quote}`];
  if (!options.has('buckets')) added.push(`boundaries: ${CLIENT_BOUNDARIES}`);
  const help = options.get('help')!;
  const start = findStart(help);
  const isOnOwnLine = code.text.slice(code.text.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
  const separator = isOnOwnLine ? `,${readNewline(code)}${indentAt(code, start)}` : ', ';
  const labelNames = options.get('labelNames');
  // The unit takes the place of the labels, so that a reader of the difference sees one change.
  if (labelNames !== undefined) {
    edits.push({ from: findStart(labelNames), to: findEnd(labelNames), text: added.join(separator) });
  } else edits.push(insertAt(findEnd(help), separator + added.join(separator)));
  const registers = options.get('registers');
  if (registers !== undefined) edits.push(removeItem(code, literal.properties, registers));
  if (isWithoutLabels) edits.push(insertAt(findEnd(made), '.with({})'));
  return edits;
}
