import { type Context, createContext, Script } from 'node:vm';
import { kernelError } from '../errors.ts';

/** The escapes that RE2 and JavaScript have in common. */
const ESCAPE = /^\\(?:[dDwWsSbB]|[tnrfv]|[^\w\s])$/;
const ESCAPE_IN_CLASS = /^\\(?:[dws]|[tnrfv]|[^\w\s])$/;
const SPACES = '\\t\\n\\f\\r ';

/**
 * Compiles an expression of RE2, the syntax of Go, for JavaScript. It takes the part that both have, with the meaning of
 * RE2.
 *
 * @returns The expression, or the reason why it is refused.
 */
export function compileExpression(source: string): RegExp | string {
  const units = unitsOf(source);
  const refused = units.find(isRefused);
  if (refused !== undefined) return `${refused} is not supported`;
  if (units.filter((unit) => unit === '(').length > 1) {
    return 'an expression with several groups gives no label: begin the other groups with (?:';
  }
  try {
    return new RegExp(units.map(translated).join(''));
  } catch (error) {
    return (error as Error).message;
  }
}

/** The units of an expression: classes, escapes, beginnings of groups, and characters. */
function unitsOf(source: string): readonly string[] {
  const units: string[] = [];
  for (let at = 0; at < source.length; at += units.at(-1)!.length) {
    if (source[at] === '[') units.push(source.slice(at, endOfClass(source, at)));
    else if (source[at] === '\\') units.push(source.slice(at, at + 2));
    else if (source.startsWith('(?', at)) units.push(source.slice(at, at + 3));
    else units.push(source[at]!);
  }
  return units;
}

/** Where a class ends. A bracket that is its first character does not end it. */
function endOfClass(source: string, start: number): number {
  let at = start + (source[start + 1] === '^' ? 2 : 1);
  if (source[at] === ']') at++;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isRefused(unit: string): boolean {
  if (unit.startsWith('(?')) return unit !== '(?:';
  if (unit.startsWith('\\')) return !ESCAPE.test(unit);
  if (unit.length === 1) return false;
  return unit.includes('[:') || (unit.match(/\\./g) ?? []).some((one) => !ESCAPE_IN_CLASS.test(one));
}

function translated(unit: string): string {
  if (unit === '.') return '[^\\n]';
  if (unit === '\\s') return `[${SPACES}]`;
  if (unit === '\\S') return `[^${SPACES}]`;
  if (unit.length === 1 || !unit.startsWith('[')) return unit;
  // A bracket at the beginning of a class is a character of it.
  return unit.replace(/^(\[\^?)\]/, '$1\\]').replaceAll('\\s', SPACES);
}

const LIMIT_MS = 1000;
const EXECUTION = new Script('expression.exec(text)');
/** What the script sees. Making a context takes 1.3 ms, and a match 0.2 ms, so all matches share one context. */
const sandbox: { expression?: RegExp; text?: string } = {};
let context: Context | undefined;

/**
 * The part of a text that an expression matches: its group, or else all of the match.
 *
 * @throws HdrscopeError `ERR_KERNEL` when it takes longer than a second. JavaScript, unlike Go, has no bound for that.
 */
export function matchOf(expression: RegExp, text: string): string | undefined {
  try {
    context ??= createContext(sandbox);
    Object.assign(sandbox, { expression, text });
    const match = EXECUTION.runInContext(context, { timeout: LIMIT_MS }) as RegExpExecArray | null;
    return match === null ? undefined : (match[1] ?? (match.length === 2 ? '' : match[0]));
  } catch (error) {
    const what = `the regexp ${expression.source} of the configuration takes longer than ${LIMIT_MS} ms for a label`;
    throw kernelError(`${what}: repeat nothing that contains a repetition`, {}, error);
  }
}
