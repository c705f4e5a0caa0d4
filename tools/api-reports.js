/**
 * `npm run api`: writes the public face of each entry, all that users can import with its types, to `api/` of its package. A change of one
 * of these files is a change for users. With `--check` it writes nothing, and fails where a file differs. Needs a build.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {{ path: string, dir: string, name: string, types: string }} Entry
 */

/**
 * The entries that users import.
 *
 * @param {string} root
 * @returns {Entry[]}
 */
function publicEntries(root) {
  return listProjects(root)
    .filter(({ manifest }) => manifest.private !== true)
    .flatMap(({ path, dir, manifest }) =>
      Object.entries(/** @type {Record<string, Record<string, string>>} */ (manifest.exports ?? {}))
        .filter(([entry, { types }]) => types !== undefined && !types.includes('*') && entry !== './internal')
        .map(([entry, { types = '' }]) => ({
          path,
          dir,
          name: entry === '.' ? 'index' : entry.slice('./'.length).replaceAll('/', '-'),
          types: join(dir, types),
        })),
    );
}

/**
 * Writes the report of an entry into a folder.
 *
 * @param {Entry} entry
 * @param {string} folder
 * @throws Error when the declarations have an error.
 */
function report({ dir, name, types }, folder) {
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(dir, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: dir,
      mainEntryPointFilePath: types,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2023',
            module: 'nodenext',
            moduleResolution: 'nodenext',
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      },
    },
  });
  const { errorCount } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => (message.handled = true),
  });
  rmSync(join(folder, 'temp'), { recursive: true, force: true });
  if (errorCount > 0) throw new Error(`the declarations of ${types} have errors`);
}

/**
 * @param {string} root
 * @param {boolean} isCheck
 * @returns {string[]} The files that differ, or that no entry has any more.
 */
export function apiReports(root, isCheck) {
  const made = mkdtempSync(join(tmpdir(), 'hdrscope-api-'));
  try {
    const entries = publicEntries(root);
    const differing = entries.flatMap((entry) => {
      const folder = isCheck ? join(made, basename(entry.path)) : join(entry.dir, 'api');
      mkdirSync(folder, { recursive: true });
      report(entry, folder);
      const file = `${entry.path}/api/${entry.name}.api.md`;
      const isSame = !isCheck || textOf(join(folder, `${entry.name}.api.md`)) === textOf(join(root, file));
      return isSame ? [] : [file];
    });
    const known = new Set(entries.map(({ path, name }) => `${path}/api/${name}.api.md`));
    const left = [...new Set(entries.map(({ path }) => path))]
      .filter((path) => existsSync(join(root, path, 'api')))
      .flatMap((path) => readdirSync(join(root, path, 'api')).map((file) => `${path}/api/${file}`))
      .filter((file) => !known.has(file));
    return [...differing, ...left];
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** @param {string} path */
function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

if (isMain(import.meta)) {
  const isCheck = process.argv.includes('--check');
  const differing = apiReports(workspaceRoot, isCheck);
  for (const file of differing) console.log(`${file} differs from the declarations: npm run api`);
  process.exitCode = differing.length === 0 ? 0 : 1;
}
