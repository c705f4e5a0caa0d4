import { join } from 'node:path';
import { listProjects, workspaceRoot } from '@hdrscope/tools/lib/workspace.js';

/**
 * The entries that users import, by their names, with the file of their sources.
 *
 * @returns {{ name: string, file: string }[]}
 */
export function publicEntries() {
  return (
    listProjects(workspaceRoot)
      .filter(({ manifest }) => manifest.private !== true)
      .flatMap(({ name, dir, manifest }) =>
        Object.entries(
          /** @type {Record<string, Record<string, string>>} */ (manifest.exports ?? {}),
        ).flatMap(([entry, { '@hdrscope/source': source }]) =>
          source === undefined ? [] : [{ name: join(name, entry), file: join(dir, source) }],
        ),
      )
      // Those are for other packages of hdrscope.
      .filter(({ name }) => !name.endsWith('/internal'))
  );
}
