/**
 * Checks the architecture against what the files really import: `core <- kit <- registry <- edges and views <- apps`.
 * Declared dependencies are not enough for that: an import that no package.json declares still builds here.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { findImports } from './lib/imports.js';
import { entriesOf, hasEntry, packageOf, targetsOf } from './lib/manifest-maps.js';
import { isMain, listFiles, listProjects, readManifest, workspaceRoot } from './lib/workspace.js';

/** What each layer may import. An edge is absent from the edges' own line on purpose. */
export const MAY_IMPORT = /** @type {Record<string, readonly string[]>} */ ({
  core: ['core'],
  kit: ['core', 'kit'],
  registry: ['core', 'kit', 'registry'],
  edge: ['core', 'kit', 'registry'],
  view: ['core', 'kit', 'registry', 'view'],
  app: ['*'],
  testing: [],
  tool: ['*'],
  e2e: ['*'],
});

// The user's SDK is another copy than ours, of any version: only its types are safe to name.
const TYPES_ONLY = /** @type {Record<string, readonly string[]>} */ ({
  '@hdrscope/otel': ['@opentelemetry/sdk-metrics'],
});

/**
 * @typedef {import('./lib/imports.js').Import} Import
 * @typedef {import('./lib/workspace.js').Manifest} Manifest
 * @typedef {import('./lib/workspace.js').Project} Project
 * @typedef {{ where: string, message: string }} Violation
 *
 * @typedef {object} Context
 * @property {Project} project
 * @property {string} file Relative to the project.
 * @property {boolean} inSource Whether users get this file.
 * @property {Map<string, Project>} projects
 * @property {Manifest} rootManifest
 */

/**
 * @param {string} root
 * @returns {{ violations: Violation[], files: number, imports: number }}
 */
export function checkBoundaries(root) {
  const list = listProjects(root);
  const projects = new Map(list.map((project) => [project.name, project]));
  const rootManifest = readManifest(root);
  /** @type {Violation[]} */
  const violations = [];
  let files = 0;
  let imports = 0;
  for (const project of list) {
    if (layerOf(project) === undefined) {
      const allowed = Object.keys(MAY_IMPORT).join('|');
      violations.push({
        where: `${project.path}/package.json`,
        message: `needs one tag layer:${allowed} in nx.tags`,
      });
    }
    for (const file of listFiles(project.dir, /\.[cm]?[jt]sx?$/)) {
      const context = { project, file, inSource: file.startsWith('src/'), projects, rootManifest };
      const found = findImports(readFileSync(join(project.dir, file), 'utf8'), file);
      for (const one of found) {
        const message = refusal(one, context);
        if (message !== undefined) violations.push({ where: `${project.path}/${file}:${one.line}`, message });
      }
      files += 1;
      imports += found.length;
    }
  }
  return { violations, files, imports };
}

/** @param {Project} project */
function layerOf({ manifest }) {
  const tags = (manifest.nx?.tags ?? []).filter((tag) => tag.startsWith('layer:'));
  const layer = tags[0]?.slice('layer:'.length);
  return tags.length === 1 && layer !== undefined && Object.hasOwn(MAY_IMPORT, layer) ? layer : undefined;
}

/**
 * @param {Import} found
 * @param {Context} context
 * @returns {string | undefined} Why this import is not allowed.
 */
function refusal(found, context) {
  const { specifier } = found;
  if (specifier === undefined) {
    const isApp = MAY_IMPORT[layerOf(context.project) ?? '']?.includes('*');
    return context.inSource && !isApp
      ? 'imports a computed name, which nothing can check: write it out'
      : undefined;
  }
  if (specifier.startsWith('.')) return refuseRelative(specifier, context);
  if (specifier.startsWith('#')) return refuseInternal(specifier, context.project);
  if (isBuiltin(specifier)) return refuseBuiltin(specifier, context);
  const name = packageOf(specifier);
  const target = context.projects.get(name);
  return target === undefined
    ? refuseThirdParty(name, found, context)
    : refuseWorkspace(specifier, name, target, context);
}

/**
 * @param {string} specifier
 * @param {Context} context
 */
function refuseRelative(specifier, { file, inSource }) {
  const target = posix.join(posix.dirname(file), specifier);
  if (target.startsWith('../'))
    return `'${specifier}' leaves the package: import the other package by its name`;
  if (inSource && !target.startsWith('src/'))
    return `'${specifier}' leaves src, and users do not get what is there`;
  return undefined;
}

/**
 * @param {string} specifier
 * @param {Project} project
 */
function refuseInternal(specifier, { manifest }) {
  return hasEntry(Object.keys(manifest.imports ?? {}), specifier)
    ? undefined
    : `'${specifier}' is not among the imports of package.json`;
}

/**
 * @param {string} specifier
 * @param {Context} context
 */
function refuseBuiltin(specifier, { project, file, inSource }) {
  if (layerOf(project) !== 'core' || !inSource || nodeOnlyFiles(project).has(file)) return undefined;
  return `core runs in any JavaScript runtime, so '${specifier}' must stand behind the "node" condition of a package import`;
}

/**
 * @param {string} specifier
 * @param {string} name
 * @param {Project} target
 * @param {Context} context
 */
function refuseWorkspace(specifier, name, target, context) {
  const { project } = context;
  if (target !== project) {
    const from = layerOf(project);
    const to = layerOf(target);
    const allowed = from === undefined ? ['*'] : /** @type {readonly string[]} */ (MAY_IMPORT[from]);
    // What tests need, users do not get.
    const isForTests = to === 'testing' && !context.inSource;
    if (to !== undefined && !isForTests && !allowed.includes('*') && !allowed.includes(to)) {
      return `${from} may import ${allowed.join(' and ')}, not ${name} (${to})`;
    }
    const undeclared = refuseUndeclared(name, context);
    if (undeclared !== undefined) return undeclared;
  }
  const entry = `.${specifier.slice(name.length)}`;
  return hasEntry(entriesOf(target.manifest), entry)
    ? undefined
    : `'${specifier}' is not an export of ${name}`;
}

/**
 * @param {string} name
 * @param {Import} found
 * @param {Context} context
 */
function refuseThirdParty(name, found, context) {
  if (context.inSource && !found.typeOnly && TYPES_ONLY[context.project.name]?.includes(name)) {
    return `${name} may only be imported as \`import type\`: at run time the user's own copy counts`;
  }
  return refuseUndeclared(name, context);
}

/**
 * @param {string} name
 * @param {Context} context
 */
function refuseUndeclared(name, { project: { manifest }, inSource, rootManifest }) {
  const forUsers = {
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  };
  if (Object.hasOwn(forUsers, name)) return undefined;
  if (inSource) return `${name} is not among the dependencies or peerDependencies of package.json`;
  const forTests = { ...manifest.devDependencies, ...rootManifest.devDependencies };
  return Object.hasOwn(forTests, name)
    ? undefined
    : `${name} is declared neither in package.json nor at the root`;
}

/**
 * The sources that only Node gets, through package imports such as `#zlib`.
 *
 * @param {Project} project
 */
function nodeOnlyFiles({ manifest }) {
  const targets = targetsOf(manifest.imports).filter(({ conditions }) => conditions.includes('node'));
  return new Set(targets.map(({ file }) => file.replace(/^dist\//, 'src/').replace(/\.js$/, '.ts')));
}

if (isMain(import.meta)) {
  const { violations, files, imports } = checkBoundaries(workspaceRoot);
  for (const { where, message } of violations) console.log(`${where}: ${message}`);
  console.log(`${imports} imports in ${files} files, ${violations.length} of them across a boundary`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
