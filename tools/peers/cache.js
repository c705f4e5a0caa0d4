import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where peers are kept: outside the checkout, as a build may take minutes and serves every checkout. */
export function peersFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return process.env.HDRSCOPE_PEERS_DIR || join(cache, 'hdrscope', 'peers');
}

/**
 * Fills a folder of the cache. It appears complete, or not at all: a run that was cut off leaves nothing that a later
 * one would take for an installed peer.
 *
 * @param {string} name
 * @param {(folder: string) => void} fill
 */
export function fillFolder(name, fill) {
  const folder = join(peersFolder(), name);
  if (existsSync(folder)) return;
  mkdirSync(peersFolder(), { recursive: true });
  const draft = mkdtempSync(join(peersFolder(), `.${name}-`));
  try {
    fill(draft);
    try {
      renameSync(draft, folder);
    } catch (error) {
      // Another run was faster.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
