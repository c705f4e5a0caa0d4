/** Module hooks of Node.js that load TypeScript: targets run on the sources, so no build is needed before them. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/**
 * @param {string} url
 * @param {object} context
 * @param {(url: string, context: object) => Promise<object>} next
 */
export async function load(url, context, next) {
  if (!/\.ts(\?|$)/.test(url)) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { target: 'es2022', parser: { syntax: 'typescript' }, transform: { verbatimModuleSyntax: true } },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
