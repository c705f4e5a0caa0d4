import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of the peers. It lies outside the checkout, because a build takes minutes and serves every checkout. */
export function peersFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return process.env.HDRSCOPE_PEERS_DIR || join(cache, 'hdrscope', 'peers');
}

/**
 * Fills a folder of the cache. The folder appears when it is complete, so an interrupted run leaves nothing that looks
 * like an installed peer.
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
      // Another run has installed it meanwhile.
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
