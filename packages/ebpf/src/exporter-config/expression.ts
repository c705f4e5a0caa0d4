import { createContext, Script } from 'node:vm';
import { kernelError } from '../errors.ts';

// One unit of an expression: a class, an escape, the beginning of a group, or one character.
const UNITS = /\[\^?\]?(?:\\.|\[:|[^\]\\])*\]|\\.|\(\?:|\(\?.?|[\s\S]/g;
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
  const units = source.match(UNITS) ?? [];
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

/**
 * The part of a text that an expression matches: its group, or else all of the match.
 *
 * @throws HdrscopeError `ERR_KERNEL` when it takes longer than a second. JavaScript, unlike Go, has no bound for that.
 */
export function matchOf(expression: RegExp, text: string): string | undefined {
  try {
    const context = createContext({ expression, text });
    const match = EXECUTION.runInContext(context, { timeout: LIMIT_MS }) as RegExpExecArray | null;
    return match === null ? undefined : (match[1] ?? (match.length === 2 ? '' : match[0]));
  } catch (error) {
    const what = `the regexp ${expression.source} of the configuration takes longer than ${LIMIT_MS} ms for a label`;
    throw kernelError(`${what}: repeat nothing that contains a repetition`, {}, error);
  }
}
