/**
 * Checks the layers of the packages against the imports in their files: `core <- kit <- registry <- edges and views <- inputs <- apps`.
 * Only rules about this workspace are here: Biome checks that imports are declared and form no circle, and the compiler
 * checks that they are exported.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { findImports } from './lib/imports.js';
import { packageOf, targetsOf } from './lib/manifest-maps.js';
import { isMain, listFiles, listProjects, workspaceRoot } from './lib/workspace.js';

/** The layers that each layer may import. Edges do not import each other; readers of inputs join several of them. */
export const MAY_IMPORT = /** @type {Record<string, readonly string[]>} */ ({
  core: ['core'],
  kit: ['core', 'kit'],
  registry: ['core', 'kit', 'registry'],
  edge: ['core', 'kit', 'registry'],
  view: ['core', 'kit', 'registry', 'view'],
  input: ['core', 'kit', 'registry', 'edge', 'input'],
  app: ['*'],
  testing: [],
  tool: ['*'],
  e2e: ['*'],
});

// The user's SDK is a copy of its own, of any version, so only its types may be imported.
const TYPES_ONLY = /** @type {Record<string, readonly string[]>} */ ({
  '@hdrscope/otel': ['@opentelemetry/sdk-metrics'],
});

// Files that load packages of the application by names that it gives.
const LOADS_BY_NAME = new Set(['@hdrscope/otel/src/register/application.ts']);

/**
 * @typedef {import('./lib/imports.js').Import} Import
 * @typedef {import('./lib/workspace.js').Project} Project
 * @typedef {{ where: string, message: string }} Violation
 *
 * @typedef {object} Context
 * @property {Project} project
 * @property {string} file Relative to the project.
 * @property {boolean} inSource Whether users get this file.
 * @property {Map<string, Project>} projects
 */

/**
 * @param {string} root
 * @returns {{ violations: Violation[], files: number, imports: number }}
 */
export function checkBoundaries(root) {
  const list = listProjects(root);
  const projects = new Map(list.map((project) => [project.name, project]));
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
      const inSource = file.startsWith('src/') && layerOf(project) !== 'testing';
      const context = { project, file, inSource, projects };
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
 * @returns {string | undefined} The reason why this import is not allowed.
 */
function refusal(found, context) {
  const { specifier } = found;
  if (specifier === undefined) {
    const isApp = MAY_IMPORT[layerOf(context.project) ?? '']?.includes('*');
    const isAllowed = isApp || LOADS_BY_NAME.has(`${context.project.name}/${context.file}`);
    return context.inSource && !isAllowed
      ? 'imports a computed name, which nothing can check: write the name out'
      : undefined;
  }
  if (specifier.startsWith('.')) return refuseRelative(specifier, context);
  if (specifier.startsWith('#')) return undefined;
  if (isBuiltin(specifier)) return refuseBuiltin(specifier, context);
  const name = packageOf(specifier);
  const target = context.projects.get(name);
  return target === undefined ? refuseThirdParty(name, found, context) : refuseLayer(target, context);
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
 * @param {Context} context
 */
function refuseBuiltin(specifier, { project, file, inSource }) {
  if (layerOf(project) !== 'core' || !inSource || nodeOnlyFiles(project).has(file)) return undefined;
  return `core runs in any JavaScript runtime, so '${specifier}' must stand behind the "node" condition of a package import`;
}

/**
 * @param {Project} target
 * @param {Context} context
 */
function refuseLayer(target, { project, inSource }) {
  const from = layerOf(project);
  const to = layerOf(target);
  if (target === project || from === undefined || to === undefined) return undefined;
  const allowed = /** @type {readonly string[]} */ (MAY_IMPORT[from]);
  const isForTests = to === 'testing' && !inSource;
  return isForTests || allowed.includes('*') || allowed.includes(to)
    ? undefined
    : `${from} may import ${allowed.join(' and ')}, not ${target.name} (${to})`;
}

/**
 * @param {string} name
 * @param {Import} found
 * @param {Context} context
 */
function refuseThirdParty(name, { typeOnly }, { project, inSource }) {
  return inSource && !typeOnly && TYPES_ONLY[project.name]?.includes(name)
    ? `${name} may only be imported as \`import type\`: at run time the user's own copy counts`
    : undefined;
}

/**
 * The source files that only Node.js loads, through package imports such as `#zlib`.
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
  // A check of nothing finds nothing.
  process.exitCode = violations.length === 0 && imports > 0 ? 0 : 1;
}
