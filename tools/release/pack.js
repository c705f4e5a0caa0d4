import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { findImports } from '../lib/imports.js';
import { targetsOf } from '../lib/manifest-maps.js';
import { writeChanged } from '../lib/write-changed.js';
import { run } from '../peers/run.js';
import { published } from './tree.js';

/** @typedef {import('../lib/workspace.js').Project} Project */

/**
 * Packs all packages into a folder, with the file SHA256SUMS of their hashes. What the folder had is removed. Needs a build.
 *
 * @param {string} root
 * @param {string} folder
 * @returns {string[]} The tarballs.
 */
export function packInto(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const projects = published(root);
  projects.forEach(leaveOutDeclarations);
  const selection = projects.flatMap(({ name }) => ['-w', name]);
  run('npm', ['pack', '--silent', '--pack-destination', folder, ...selection], {
    cwd: root,
    limitSeconds: 300,
  });
  const tarballs = readdirSync(folder).map((file) => join(folder, file));
  const sums = tarballs.map(
    (file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`,
  );
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return tarballs;
}

/**
 * The compiler writes declarations of every module, and a disk gives each file a block of its own. A package contains those that its
 * entries need: the others are named in the `.npmignore` of `dist`. In `dist` they stay, because a later build does not make them again.
 *
 * @param {Project} project
 */
export function leaveOutDeclarations({ dir, manifest }) {
  const dist = join(dir, 'dist');
  if (!existsSync(dist)) return;
  const all = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.d.ts'),
  );
  /** @param {unknown} map */
  const findNeeded = (map) => {
    /** @type {Set<string>} */
    const needed = new Set();
    for (const { file } of targetsOf(map)) {
      const [start = '', end] = file.split('*');
      if (end === undefined) addDeclarations(join(dir, file), needed);
      else {
        // A pattern names all files that begin and end so.
        const named = all
          .map((one) => join(dist, one))
          .filter((one) => one.startsWith(join(dir, start)) && one.endsWith(end));
        for (const one of named) addDeclarations(one, needed);
      }
    }
    return needed;
  };
  const { './internal': _, ...faces } = Object(manifest.exports);
  for (const file of findNeeded(faces)) {
    const hidden = findImports(readFileSync(file, 'utf8'), file).find(({ specifier }) =>
      specifier?.startsWith('#'),
    );
    // Types of a package that is bundled: users do not have it.
    if (hidden !== undefined)
      throw new Error(`${file} is a part of the public types, and must not import ${hidden.specifier}`);
  }
  const needed = findNeeded([manifest.exports, manifest.imports]);
  const others = all.filter((file) => !needed.has(join(dist, file)));
  writeChanged(
    join(dist, '.npmignore'),
    others
      .map((file) => `/${file.replaceAll('\\', '/')}\n`)
      .sort()
      .join(''),
  );
}

/**
 * @param {string} file
 * @param {Set<string>} needed Gets the file, and those that it imports, where they are declarations of the same package.
 */
function addDeclarations(file, needed) {
  if (!file.endsWith('.d.ts') || needed.has(file) || !existsSync(file)) return;
  needed.add(file);
  for (const { specifier } of findImports(readFileSync(file, 'utf8'), file)) {
    if (specifier?.startsWith('.'))
      addDeclarations(resolve(file, '..', specifier.replace(/\.[jt]s$/, '.d.ts')), needed);
  }
}
