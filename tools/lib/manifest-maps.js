/**
 * Reading the `exports` and `imports` maps of a package.json.
 *
 * @typedef {import('./workspace.js').Manifest} Manifest
 */

/**
 * The package that a bare specifier names: `@a/b` for `@a/b/c`.
 *
 * @param {string} specifier
 */
export function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/**
 * The entries of a package: `.`, `./testing`, `./package.json`.
 *
 * @param {Manifest} manifest
 */
export function entriesOf({ exports }) {
  if (typeof exports !== 'object' || exports === null) return ['.'];
  const keys = Object.keys(exports);
  return keys.some((key) => key.startsWith('.')) ? keys : ['.'];
}

/**
 * The files that a map names, each with its conditions.
 *
 * @param {unknown} map
 * @param {string[]} [conditions]
 * @returns {{ file: string, conditions: string[] }[]}
 */
export function targetsOf(map, conditions = []) {
  if (typeof map === 'string') return [{ file: map.replace(/^\.\//, ''), conditions }];
  if (typeof map !== 'object' || map === null) return [];
  return Object.entries(map).flatMap(([condition, inner]) => targetsOf(inner, [...conditions, condition]));
}

/**
 * The sources that a map names.
 *
 * @param {unknown} map
 * @returns {string[]} Relative to the package.
 */
export function sourcesOf(map) {
  return targetsOf(map)
    .filter(({ conditions }) => conditions.includes('@hdrscope/source'))
    .map(({ file }) => file);
}
