import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

/**
 * Puts folders and files of one commit of a repository of GitHub into a folder.
 *
 * @param {{ repository: string, commit: string, paths: readonly string[], clone: string | undefined }} wanted `clone` is the
 *   path of a clone to take them from, where GitHub is out of reach. No `paths` are all.
 * @param {string} folder
 */
export function fetchFromGitHub({ repository, commit, paths, clone }, folder) {
  const source = clone ?? fetchCommit(`https://github.com/${repository}`, commit, join(folder, 'repository'));
  const archive = join(folder, 'files.tar');
  const output = ['--format=tar', `--output=${archive}`];
  run('git', ['-C', source, 'archive', ...output, commit, ...paths], { limitSeconds: 60 });
  run('tar', ['-xf', archive, '-C', folder], { limitSeconds: 60 });
  rmSync(archive);
  if (clone === undefined) rmSync(source, { recursive: true });
}

/**
 * @param {string} url
 * @param {string} commit
 * @param {string} repository A path where nothing is.
 */
function fetchCommit(url, commit, repository) {
  run('git', ['init', '--quiet', '--bare', repository], { limitSeconds: 30 });
  run('git', ['-C', repository, 'fetch', '--quiet', '--depth=1', url, commit], { limitSeconds: 300 });
  return repository;
}
