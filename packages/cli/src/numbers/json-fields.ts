import { isValue } from './table-text.ts';

const MOST_DEPTH = 8;

/** The value of a field; `undefined` when the document has no such field. The name of a field may contain points. */
export function fieldOf(document: unknown, path: string): unknown {
  if (typeof document !== 'object' || document === null) return undefined;
  if (Object.hasOwn(document, path)) return (document as Record<string, unknown>)[path];
  // The longest name that is there comes first.
  for (let at = path.lastIndexOf('.'); at > 0; at = path.lastIndexOf('.', at - 1)) {
    const name = path.slice(0, at);
    if (Object.hasOwn(document, name))
      return fieldOf((document as Record<string, unknown>)[name], path.slice(at + 1));
  }
  return undefined;
}

/** The text of a number in JSON, perhaps with a unit; `undefined` for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && isValue(value.trim()) ? value.trim() : undefined;
}

/** The paths of the fields of a document that have numbers. */
function numberFields(document: unknown, prefix = '', depth = 0): string[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document) || depth > MOST_DEPTH)
    return [];
  return Object.entries(document).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (numberText(value) !== undefined) return [path];
    return numberFields(value, `${path}.`, depth + 1);
  });
}

/** The paths of the fields that have numbers in any of several documents. */
export function fieldsWithNumbers(documents: readonly unknown[]): string[] {
  return [...new Set(documents.flatMap((document) => numberFields(document)))];
}

/** The first documents of a text that has one per line, or of an array of them. Other lines are left out. */
export function firstDocuments(beginning: string): unknown[] {
  const lines = beginning.split('\n');
  // The last line may be incomplete.
  const found = lines.flatMap((line) => parsed(bareDocument(line)));
  if (found.length > 0) return found;
  const whole = parsed(beginning)[0];
  return Array.isArray(whole) ? whole.slice(0, lines.length + 100) : whole === undefined ? [] : [whole];
}

/** The document in a line of an array that has one per line, without the bracket or comma around it. */
export function bareDocument(line: string): string {
  const begun = line.trim().replace(/^\[/, '');
  return begun.replace(/[,\]]$/, '').trim();
}

function parsed(text: string): unknown[] {
  if (!text.startsWith('{') && !text.trimStart().startsWith('[')) return [];
  const document = parsedJson(text);
  return document === undefined ? [] : [document];
}

/** A document of JSON; `undefined` when the text is malformed. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
