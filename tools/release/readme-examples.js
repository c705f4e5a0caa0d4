import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listBlocks } from '../lib/example-blocks.js';
import { toCheckedModule, toPlainModule } from '../lib/example-module.js';
import { findImports } from '../lib/imports.js';
import { packageOf } from '../lib/manifest-maps.js';

/** @typedef {import('../lib/example-blocks.js').Block} Block */

const RUNNER = fileURLToPath(new URL('example-runner.js', import.meta.url));
const LIMIT_MS = 60_000;

/**
 * The examples of README files and other documents. Those of doc comments are not among them.
 *
 * @param {string} root
 */
export function readmeExamples(root) {
  return listBlocks(root).filter(({ file }) => file.endsWith('.md'));
}

/**
 * The packages that examples import and a project lacks, and those with their types. Where the workspace has a package, they have its version.
 *
 * @param {string} root
 * @param {readonly Block[]} examples
 * @param {(name: string) => boolean} isInstalled
 * @returns {string[]} Such as `prom-client@15.1.3` and `express`.
 */
export function packagesOf(root, examples, isInstalled) {
  const imports = examples.flatMap(({ code, language }) => findImports(code, `example.${language}`));
  const names = imports.flatMap(({ specifier }) => (specifier === undefined ? [] : [packageOf(specifier)]));
  const missing = new Set(names.filter((name) => !name.startsWith('node:') && !isInstalled(name)));
  const manifestOf = (/** @type {string} */ name) => join(root, 'node_modules', name, 'package.json');
  const types = [...missing].map((name) => `@types/${name}`).filter((name) => existsSync(manifestOf(name)));
  // A package that the workspace lacks comes in its newest version, as users get it.
  return [...missing, ...types].map((name) =>
    existsSync(manifestOf(name))
      ? `${name}@${JSON.parse(readFileSync(manifestOf(name), 'utf8')).version}`
      : name,
  );
}

/**
 * Compiles the examples in a project, and runs those that can run there.
 *
 * @param {string} project A folder whose packages the examples import.
 * @param {readonly Block[]} examples
 * @returns {string[]} What is wrong, with the place in the document.
 */
export function runExamples(project, examples) {
  const folder = join(project, 'examples-of-documents');
  mkdirSync(join(folder, 'types'), { recursive: true });
  mkdirSync(join(folder, 'run'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const problems = typeProblems(project, folder, examples);
  for (const block of examples.filter(({ noRun }) => noRun === undefined)) {
    const problem = runProblem(project, folder, block);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

/** The settings of the compiler that a new project has, and the examples. */
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    target: 'es2022',
    module: 'nodenext',
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['.'],
});

/** @param {Block} block */
const nameOf = ({ file, line }) => `${file.replaceAll('/', '-')}.L${line}`;

/**
 * @param {string} project
 * @param {string} folder
 * @param {readonly Block[]} examples
 */
function typeProblems(project, folder, examples) {
  const types = join(folder, 'types');
  writeFileSync(join(types, 'tsconfig.json'), TSCONFIG);
  for (const block of examples)
    writeFileSync(join(types, `${nameOf(block)}.${block.language}`), toPlainModule(block));
  const tsc = join(project, 'node_modules/.bin/tsc');
  const { status, stdout, stderr } = spawnSync(tsc, ['--pretty', 'false', '-p', '.'], {
    cwd: types,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  // Lines of a module have the numbers of the lines of its document.
  return status === 0 ? [] : `${stdout}${stderr}`.trim().split('\n');
}

/** The global through which an example checks its expectations. */
const CHECKS = 'hdrscope.example';

/**
 * @param {string} project
 * @param {string} folder
 * @param {Block} block
 * @returns {string | undefined}
 */
function runProblem(project, folder, block) {
  const { source, lines } = toCheckedModule(block, CHECKS);
  const path = join(folder, 'run', `${nameOf(block)}.ts`);
  const module = path.replace(/ts$/, 'js');
  writeFileSync(path, source);
  const esbuild = join(project, 'node_modules/.bin/esbuild');
  const where = `${block.file}:${block.line}`;
  for (const [program, args] of /** @type {const} */ ([
    [esbuild, [path, '--format=esm', `--outfile=${module}`, '--log-level=error']],
    [process.execPath, [RUNNER, module, CHECKS, block.file, ...lines.map(String)]],
  ])) {
    const { status, stderr, error } = spawnSync(program, args, {
      cwd: project,
      encoding: 'utf8',
      timeout: LIMIT_MS,
    });
    if (status !== 0) return `${where}: ${error?.message ?? stderr.trim()}`;
  }
  return undefined;
}
