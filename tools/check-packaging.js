/**
 * Packs every package that is published, and uses the packed files as their users do: with plain Node, with
 * `import` and with `require()`. Needs a build.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLES } from './bundle.js';
import { entriesOf, targetsOf } from './lib/manifest-maps.js';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {import('./lib/workspace.js').Project} Project
 * @typedef {{ name: string, filename: string, files: { path: string }[] }} Packed
 */

const ALLOWED = /^(bin|dist|program|src)\/|^(README\.md|LICENSE|package\.json)$/;
const NEEDED = ['package.json', 'README.md'];

/**
 * What is wrong with the files that a package would publish.
 *
 * @param {Project} project
 * @param {string[]} files
 * @returns {string[]}
 */
export function checkFiles({ path, manifest }, files) {
  const sources = new Set(files.filter((file) => file.startsWith('src/')));
  const missing = NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`);
  const unwanted = files
    .filter((file) => !ALLOWED.test(file) || file.endsWith('.tsbuildinfo'))
    .map((file) => `${file} does not belong into the package`);
  const bundles = BUNDLES.map(({ script }) => `packages/${script}`)
    .filter((script) => script.startsWith(`${path}/`))
    .map((script) => script.slice(path.length + 1));
  const unbundled = bundles
    .filter((file) => !files.includes(file))
    .map((file) => `${file} is missing: node tools/bundle.js`);
  // Nothing removes the output of a source that was renamed.
  const stale = files
    .filter((file) => /^dist\/.*\.js$/.test(file) && !bundles.includes(file))
    .filter((file) => !sources.has(file.replace(/^dist\//, 'src/').replace(/\.js$/, '.ts')))
    .map((file) => `${file} has no source: delete ${path}/dist and build again`);
  const dangling = [manifest.exports, manifest.imports, manifest.bin]
    .flatMap((map) => targetsOf(map))
    .filter(({ file }) => !file.includes('*') && !files.includes(file))
    .map(({ file }) => `${file} is named in package.json and is missing`);
  return [...missing, ...unbundled, ...unwanted, ...stale, ...dangling];
}

/**
 * Packs and unpacks the packages into a folder inside the workspace, whose other packages they then still find.
 *
 * @param {string} root
 * @param {Project[]} projects
 * @param {string} folder
 * @returns {Packed[]}
 */
function unpackAll(root, projects, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
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
      const names = 'console.log(Object.keys(it).sort().join())';
      const imported = runNode('module', `const it = await import(${specifier}); ${names}`, folder);
      const required = runNode('commonjs', `const it = require(${specifier}); ${names}`, folder);
      if (imported.error || required.error)
        return [imported.error, required.error].filter((error) => error !== '');
      return imported.names === required.names
        ? []
        : [`${specifier}: require() gives other names than import`];
    });
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
    timeout: 30_000,
  });
  return status === 0 ? { names: stdout, error: '' } : { names: '', error: stderr || `exit code ${status}` };
}

/**
 * @param {string} root
 * @returns {{ packages: number, problems: string[] }}
 */
export function checkPackaging(root) {
  const projects = listProjects(root).filter(({ manifest }) => manifest.private !== true);
  const unbuilt = projects.filter(({ dir }) => !existsSync(join(dir, 'dist')));
  if (unbuilt.length > 0) {
    return { packages: 0, problems: unbuilt.map(({ name }) => `${name} is not built: npm run build`) };
  }
  const folder = join(root, '.packed');
  const packed = new Map(unpackAll(root, projects, folder).map(({ name, files }) => [name, files]));
  const problems = projects.flatMap((project) => {
    const files = (packed.get(project.name) ?? []).map(({ path }) => path);
    return [...checkFiles(project, files), ...loadEntries(project, folder)].map(
      (text) => `${project.name}: ${text}`,
    );
  });
  rmSync(folder, { recursive: true, force: true });
  return { packages: projects.length, problems };
}

if (isMain(import.meta)) {
  const { packages, problems } = checkPackaging(workspaceRoot);
  for (const problem of problems) console.log(problem);
  console.log(`${packages} packages packed and loaded, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
