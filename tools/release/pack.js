import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../peers/run.js';
import { published } from './tree.js';

/**
 * Packs all packages into a folder, with the file SHA256SUMS of their hashes. What the folder had is removed.
 *
 * @param {string} root
 * @param {string} folder
 * @returns {string[]} The tarballs.
 */
export function packInto(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const selection = published(root).flatMap(({ name }) => ['-w', name]);
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
