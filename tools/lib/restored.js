/** What esbuild changes in a bundle, and users would notice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A bundle with the names of classes and the constants of its sources.
 *
 * @param {string} text
 * @param {string} dir The folder from which the bundle was made.
 * @param {import('esbuild').Metafile} metafile
 */
export function restored(text, dir, metafile) {
  return restoreConstants(restoreClassNames(text), variablesOf(dir, metafile));
}

/**
 * esbuild writes a class that mentions itself as `var Histogram = class _Histogram`, and the underscore would show in
 * every printed object.
 *
 * @param {string} text
 */
function restoreClassNames(text) {
  const names = [...text.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return names.length === 0 ? text : text.replace(new RegExp(`\\b_(${names.join('|')})\\b`, 'g'), '$1');
}

/**
 * esbuild writes `var` for every declaration at the top of a module. V8 knows where the arrays of constants are, and compiles
 * their addresses into loops; with `var` a record of a large value takes twice the time.
 *
 * @param {string} text
 * @param {ReadonlySet<string>} variables The names that the sources declare with `let`.
 */
function restoreConstants(text, variables) {
  // When two names in one file are equal, esbuild numbers the second one.
  return text.replace(/^var (\w+) =/gm, (declaration, name) =>
    variables.has(name) || variables.has(name.replace(/\d+$/, '')) ? declaration : `const ${name} =`,
  );
}

/**
 * @param {string} dir
 * @param {import('esbuild').Metafile} metafile
 * @returns {Set<string>} The names that the top of a module declares with `let` or `var`.
 */
function variablesOf(dir, { inputs }) {
  const declarations = Object.keys(inputs).flatMap((input) => [
    ...readFileSync(join(dir, input), 'utf8').matchAll(/^(?:export )?(?:let|var) (\w+)/gm),
  ]);
  return new Set(declarations.map(([, name = '']) => name));
}
