/**
 * Checks the documentation without running it: every example compiles against the sources, and every npm script
 * that a document names exists. `test/examples.test.ts` runs the examples (`npm test -- tools`).
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { listBlocks, listDocuments } from './lib/example-blocks.js';
import { clearExamples, writeExample } from './lib/example-files.js';
import { toPlainModule } from './lib/example-module.js';
import { isMain, readManifest, workspaceRoot } from './lib/workspace.js';

/** @typedef {import('./lib/example-blocks.js').Block} Block */

/**
 * The npm scripts that a text names and the root's package.json lacks.
 *
 * @param {string} text
 * @param {string[]} scripts
 * @returns {{ line: number, script: string }[]}
 */
export function findUnknownScripts(text, scripts) {
  return text.split('\n').flatMap((content, i) =>
    [...content.matchAll(/\bnpm (?:run (?:--?\S+ )*([\w:-]+)|(start|test)\b)/g)]
      .map(([, named, short]) => named ?? short ?? '')
      .filter((script) => !scripts.includes(script))
      .map((script) => ({ line: i + 1, script })),
  );
}

/**
 * Compiles the examples as modules of the workspace.
 *
 * @param {string} root
 * @param {Block[]} blocks
 * @returns {string[]} The compiler's messages, with the places in the documents.
 */
export function compileExamples(root, blocks) {
  clearExamples(root, 'types');
  if (blocks.length === 0) return [];
  const folder = join(root, '.examples/types');
  mkdirSync(folder, { recursive: true });
  const paths = new Map(
    blocks.map((block) => [writeExample(root, 'types', block, toPlainModule(block)), block.file]),
  );
  const config = {
    extends: '../../tsconfig.test.json',
    compilerOptions: { allowJs: true, checkJs: true },
    files: [...paths.keys()],
    include: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '--pretty', 'false', '-p', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) return [];
  return `${stdout}${stderr}`
    .trim()
    .split('\n')
    .map((message) => placeMessage(message, root, paths));
}

/**
 * @param {string} message
 * @param {string} root
 * @param {Map<string, string>} paths
 */
function placeMessage(message, root, paths) {
  const [, path = '', line, rest] = /^(\S.*?)\((\d+),\d+\): (.*)$/.exec(message) ?? [];
  const file = paths.get(resolve(root, path));
  // The lines of the module have the numbers of the lines of the document.
  return file === undefined ? message : `${file}:${line}: ${rest}`;
}

if (isMain(import.meta)) {
  const blocks = listBlocks(workspaceRoot);
  const scripts = Object.keys(readManifest(workspaceRoot).scripts ?? {});
  const problems = listDocuments(workspaceRoot)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      findUnknownScripts(readFileSync(join(workspaceRoot, file), 'utf8'), scripts).map(
        ({ line, script }) => `${file}:${line}: package.json has no script '${script}'`,
      ),
    );
  problems.push(...compileExamples(workspaceRoot, blocks));
  for (const problem of problems) console.log(problem);
  const onlyCompiled = blocks.filter(({ noRun }) => noRun !== undefined);
  for (const { file, line, noRun } of onlyCompiled) console.log(`only compiled: ${file}:${line}: ${noRun}`);
  console.log(
    `${blocks.length} examples compiled (${onlyCompiled.length} not to be run), ${problems.length} problems`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
