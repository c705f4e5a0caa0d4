import { join } from 'node:path';
import * as packages from '../../tools/lib/public-entries.js';
import { workspaceRoot } from '../../tools/lib/workspace.js';

/**
 * The entries that users import, by their names, with the file of their sources.
 *
 * @returns {{ name: string, file: string }[]}
 */
export function publicEntries() {
  return packages
    .publicEntries(workspaceRoot)
    .map(({ package: name, entry, source }) => ({ name: join(name, entry), file: source }));
}
