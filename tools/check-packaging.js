/**
 * `node tools/check-packaging.js [NAME...]` packs every package that is published, or those named, and checks the packed files.
 * publint and attw check package.json and the types; here are only the checks that they do not have: the list of files, loading
 * each entry with plain Node, with `import` and with `require()`, and whether TypeScript can name what functions return. Needs a build.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { BROWSER_SCRIPTS } from './bundle.js';
import { entriesOf, targetsOf } from './lib/manifest-maps.js';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';
import { leaveOutDeclarations } from './release/pack.js';

/**
 * @typedef {import('./lib/workspace.js').Project} Project
 * @typedef {{ name: string, filename: string, files: { path: string }[] }} Packed
 */

const ALLOWED = /^(bin|dist|program|src)\/|^(README\.md|LICENSE|package\.json)$/;
const NEEDED = ['package.json', 'README.md', 'LICENSE'];

/**
 * What the linters of a package ask for. Our packages have modules only.
 *
 * @type {{ publint: Omit<import('publint').Options, 'pack'>, ignoredResolutions: readonly import('@arethetypeswrong/core').ResolutionKind[] }}
 */
const OF_MODULES = {
  publint: { strict: true, level: 'warning' },
  ignoredResolutions: ['node10', 'node16-cjs'],
};

/**
 * Those of a package of CommonJS. Its modules have a default export beside others, as the modules that they take the place
 * of, and publint warns of these.
 *
 * @type {typeof OF_MODULES}
 */
const OF_COMMONJS = { publint: { level: 'error' }, ignoredResolutions: ['node10'] };

/**
 * Whether a package takes the place of one of CommonJS. It has a `main` for old programs.
 *
 * @param {Project['manifest']} manifest
 */
const isCommonJs = (manifest) => manifest.main !== undefined;

/**
 * Lists the problems of the files that a package would publish.
 *
 * @param {Project} project
 * @param {string[]} files
 * @returns {string[]}
 */
export function checkFiles({ path, dir, manifest }, files) {
  const packed = new Set(files);
  const missing = NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`);
  const unwanted = files
    .filter((file) => !ALLOWED.test(file) || file.endsWith('.tsbuildinfo'))
    .map((file) => `${file} does not belong in the package`);
  const scripts = BROWSER_SCRIPTS.map(({ script }) => `packages/${script}`)
    .filter((script) => script.startsWith(`${path}/`))
    .map((script) => script.slice(path.length + 1));
  const unbundled = scripts
    .filter((file) => !packed.has(file))
    .map((file) => `${file} is missing: node tools/bundle.js`);
  const targets = [manifest.exports, manifest.imports, manifest.bin].flatMap((map) => targetsOf(map));
  const modules = listModules(dir, packed, [...targets.map(({ file }) => file), ...scripts]);
  const stale = (isCommonJs(manifest) ? [] : files)
    .filter((file) => file.startsWith('dist/') && !hasOrigin(file, packed, modules))
    .map((file) => `${file} is left over: delete ${path}/dist and build again`);
  // publint checks `exports` and `bin` only.
  const dangling = targetsOf(manifest.imports)
    .filter(({ file }) => !file.includes('*') && !packed.has(file))
    .map(({ file }) => `${file} is named in package.json and is missing`);
  return [...missing, ...unbundled, ...unwanted, ...stale, ...dangling, ...checkMaps(dir, packed)];
}

/**
 * The modules that package.json names, and those that they import by their paths.
 *
 * @param {string} dir
 * @param {ReadonlySet<string>} files
 * @param {string[]} named
 */
function listModules(dir, files, named) {
  const modules = new Set(named.filter((file) => file.endsWith('.js') && files.has(file)));
  for (const module of modules) {
    const text = readFileSync(join(dir, module), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/["'](\.{1,2}\/[^"'\s]+\.js)["']/g)) {
      const imported = posix.join(posix.dirname(module), specifier);
      if (files.has(imported)) modules.add(imported);
    }
  }
  return modules;
}

/**
 * Whether a file of `dist` is a module that something imports, the map of one, or a declaration with a source.
 *
 * @param {string} file
 * @param {ReadonlySet<string>} files
 * @param {ReadonlySet<string>} modules
 */
function hasOrigin(file, files, modules) {
  const [, path = '', extension] = /^dist\/(.*?)(\.d\.ts|\.js)(?:\.map)?$/.exec(file) ?? [];
  if (extension === '.d.ts') return files.has(`src/${path}.ts`);
  return extension === undefined || modules.has(`dist/${path}.js`);
}

/**
 * @param {string} dir
 * @param {ReadonlySet<string>} files
 */
function checkMaps(dir, files) {
  return [...files]
    .filter((file) => file.startsWith('dist/') && file.endsWith('.map'))
    .flatMap((file) => {
      const { sources } = /** @type {{ sources: string[] }} */ (
        JSON.parse(readFileSync(join(dir, file), 'utf8'))
      );
      return sources
        .filter((source) => !files.has(posix.join(posix.dirname(file), source)))
        .map((source) => `${file} leads to ${source}, which is missing`);
    });
}

/**
 * Packs and unpacks the packages into a folder inside the workspace, where they find the dependencies of the workspace.
 *
 * @param {string} root
 * @param {Project[]} projects
 * @param {string} folder
 * @returns {Packed[]}
 */
function unpackAll(root, projects, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  projects.forEach(leaveOutDeclarations);
  const selection = projects.flatMap(({ name }) => ['-w', name]);
  const output = execFileSync(
    'npm',
    ['pack', '--json', '--silent', '--pack-destination', folder, ...selection],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const packed = /** @type {Packed[]} */ (JSON.parse(output));
  for (const { name, filename } of packed) {
    const target = join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', target]);
  }
  return packed;
}

/**
 * Runs publint and attw on a packed package.
 *
 * @param {Project} project
 * @param {string} file
 * @returns {Promise<string[]>}
 */
async function lintPackage({ manifest }, file) {
  const asked = isCommonJs(manifest) ? OF_COMMONJS : OF_MODULES;
  const bytes = new Uint8Array(readFileSync(file));
  const { messages, pkg } = await publint({
    ...asked.publint,
    pkgDir: 'package',
    pack: { tarball: bytes.buffer },
  });
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  /** @type {readonly { kind: string, resolutionKind?: import('@arethetypeswrong/core').ResolutionKind }[]} */
  const problems = analysis.types ? analysis.problems : [{ kind: 'no types' }];
  return [
    ...messages.map((message) => `publint refuses it: ${formatMessage(message, pkg, { color: false })}`),
    ...problems
      .filter(({ resolutionKind: kind }) => kind === undefined || !asked.ignoredResolutions.includes(kind))
      .map((problem) => `attw refuses it: ${JSON.stringify(problem)}`),
  ];
}

/**
 * Loads every entry of a package with `import` and with `require()`.
 *
 * @param {Project} project
 * @param {string} folder
 * @returns {string[]}
 */
function loadEntries({ name, manifest }, folder) {
  return entriesOf(manifest)
    .filter((entry) => entry !== './package.json' && !entry.includes('*'))
    .flatMap((entry) => {
      const specifier = JSON.stringify(name + entry.slice(1));
      // An import of CommonJS has the module itself too.
      const own = isCommonJs(manifest)
        ? ".filter((name) => !['default', 'module.exports'].includes(name))"
        : '';
      const names = `console.log(Object.keys(it)${own}.sort().join())`;
      const imported = runNode('module', `const it = await import(${specifier}); ${names}`, folder);
      const required = runNode('commonjs', `const it = require(${specifier}); ${names}`, folder);
      if (imported.error || required.error)
        return [imported.error, required.error].filter((error) => error !== '');
      return imported.printed === required.printed
        ? []
        : [`${specifier}: require() gives other names than import`];
    });
}

/**
 * Lists the functions of public entries whose result TypeScript cannot name in the declarations of a library that returns it.
 *
 * @param {Project[]} projects
 * @param {string} folder
 * @returns {string[]}
 */
function findUnnamedResults(projects, folder) {
  const entries = projects
    .filter(({ name, manifest }) => name !== '@hdrscope/kit' && !isCommonJs(manifest))
    .flatMap(({ name, manifest }) => entriesOf(manifest).map((entry) => name + entry.slice(1)))
    .filter((specifier) => !/\/internal$|\.json$|\*/.test(specifier));
  if (entries.length === 0) return [];
  const list = `const functions = [];
for (const specifier of ${JSON.stringify(entries)})
  for (const [name, value] of Object.entries(await import(specifier)))
    if (/^[a-z]/.test(name) && typeof value === 'function') functions.push({ specifier, name });
console.log(JSON.stringify(functions));`;
  const { printed, error } = runNode('module', list, folder);
  if (error !== '') return [`no results of functions are checked: ${error}`];
  const functions = /** @type {{ specifier: string, name: string }[]} */ (JSON.parse(printed));
  for (const { name } of projects) hideInternals(join(folder, 'node_modules', name, 'package.json'));
  if (functions.length === 0) return ['no results of functions are checked: no entry exports a function'];
  const uses = functions.map(
    ({ specifier, name }, i) =>
      `import { ${name} as f${i} } from '${specifier}';\nexport function ${name}${i}(...args: Parameters<typeof f${i}>) { return f${i}(...args); }\n`,
  );
  writeFileSync(join(folder, 'results.ts'), uses.join(''));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const flags = '--declaration --emitDeclarationOnly --strict --skipLibCheck --pretty false --ignoreConfig';
  const modules = join(workspaceRoot, 'node_modules');
  const run = spawnSync(
    join(modules, '.bin/tsc'),
    [
      ...`${flags} --module nodenext --target es2022 --types node`.split(' '),
      ...['--typeRoots', join(modules, '@types'), 'results.ts'],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  // A problem goes on in lines that are indented.
  if (run.status !== 0) return (run.stdout || String(run.error ?? run.stderr)).trim().split(/\n(?=\S)/);
  return existsSync(join(folder, 'results.d.ts')) ? [] : ['TypeScript wrote no declarations of results.ts'];
}

/**
 * Takes the entry `./internal` from a packed package. TypeScript names types by this entry where another package uses it, and in a library that
 * has the first package alone, these types have no name.
 *
 * @param {string} file Its package.json.
 */
function hideInternals(file) {
  const { exports: faces, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
  const { './internal': _, ...shown } = Object(faces);
  writeFileSync(file, JSON.stringify({ ...manifest, exports: shown }));
}

/**
 * @param {'module' | 'commonjs'} type
 * @param {string} code
 * @param {string} cwd
 */
function runNode(type, code, cwd) {
  const args = ['--disable-warning=ExperimentalWarning', `--input-type=${type}`, '--eval', code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    timeout: 120_000,
  });
  return status === 0
    ? { printed: stdout, error: '' }
    : { printed: '', error: stderr || `exit code ${status}` };
}

/**
 * @param {string} root
 * @param {string[]} [names] The packages. @default all that are published
 * @returns {Promise<{ packages: number, problems: string[] }>}
 */
export async function checkPackaging(root, names = []) {
  const published = listProjects(root).filter(({ manifest }) => manifest.private !== true);
  const unknown = names.filter((name) => !published.some((project) => project.name === name));
  if (unknown.length > 0)
    return { packages: 0, problems: unknown.map((name) => `no package ${name} is published`) };
  const projects = names.length === 0 ? published : published.filter(({ name }) => names.includes(name));
  const unbuilt = projects.filter(({ dir }) => !existsSync(join(dir, 'dist')));
  if (unbuilt.length > 0) {
    return { packages: 0, problems: unbuilt.map(({ name }) => `${name} is not built: npm run build`) };
  }
  const folder = join(root, '.packed');
  const packed = new Map(unpackAll(root, projects, folder).map((one) => [one.name, one]));
  const problems = [];
  for (const project of projects) {
    const { files, filename } = /** @type {Packed} */ (packed.get(project.name));
    const paths = files.map(({ path }) => path);
    const linted = await lintPackage(project, join(folder, filename));
    const found = [...checkFiles(project, paths), ...linted, ...loadEntries(project, folder)];
    problems.push(...found.map((text) => `${project.name}: ${text}`));
  }
  problems.push(...findUnnamedResults(projects, folder));
  rmSync(folder, { recursive: true, force: true });
  return { packages: projects.length, problems };
}

if (isMain(import.meta)) {
  const { packages, problems } = await checkPackaging(workspaceRoot, process.argv.slice(2));
  for (const problem of problems) console.log(problem);
  console.log(`${packages} packages packed, linted and loaded, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
