/**
 * `npm run api`: writes the public face of each entry, all that users can import with its types, to `api/` of its package. A change of one
 * of these files is a change for users. With `--check` it writes nothing, and fails where a file differs, something has no doc comment, or
 * the README of the package leaves out a name. Needs a build.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { publicEntries } from './lib/public-entries.js';
import { isMain, workspaceRoot } from './lib/workspace.js';

/** @typedef {import('./lib/public-entries.js').PublicEntry} PublicEntry */

/**
 * Writes the report of an entry into a folder.
 *
 * @param {PublicEntry} entry
 * @param {string} folder
 * @returns {string} The name of the file there.
 * @throws Error when the declarations have an error.
 */
function report({ dir, entry, types }, folder) {
  const name = entry === '.' ? 'index' : entry.slice('./'.length).replaceAll('/', '-');
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
  return `${name}.api.md`;
}

/**
 * @param {string} root
 * @param {boolean} isCheck Whether the files stay as they are.
 * @returns {string[]} What is wrong, by file: with the reports in their places, nothing but comments and files of earlier entries.
 */
export function apiReports(root, isCheck) {
  const made = mkdtempSync(join(tmpdir(), 'hdrscope-api-'));
  try {
    const entries = publicEntries(root);
    const known = new Set();
    const problems = entries.flatMap((entry) => {
      const folder = isCheck ? join(made, basename(entry.path)) : join(entry.dir, 'api');
      mkdirSync(folder, { recursive: true });
      const name = report(entry, folder);
      const file = `${entry.path}/api/${name}`;
      known.add(file);
      const text = textOf(join(folder, name));
      const bare = text.split('(undocumented)').length - 1;
      return [
        ...(text === textOf(join(root, file)) ? [] : [`${file} differs from the declarations: npm run api`]),
        ...(bare === 0
          ? []
          : [`${file} has ${bare} symbols without a doc comment: node tools/check-docs.js`]),
        ...unlisted(text, entry),
      ];
    });
    const left = [...new Set(entries.map(({ path }) => path))]
      .filter((path) => existsSync(join(root, path, 'api')))
      .flatMap((path) => readdirSync(join(root, path, 'api')).map((file) => `${path}/api/${file}`))
      .filter((file) => !known.has(file));
    return [...problems, ...left.map((file) => `${file} is of no entry: remove it`)];
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The packages whose README lists no names: the drop-in has the API of another package, and the kit promises none. */
const WITHOUT_LIST = ['@hdrscope/hdr-histogram-js', '@hdrscope/kit'];

/**
 * What the README of a package leaves out of its whole face.
 *
 * @param {string} report The text of a report.
 * @param {PublicEntry} entry
 * @returns {string[]} What is wrong.
 */
function unlisted(report, entry) {
  if (WITHOUT_LIST.includes(entry.package)) return [];
  const where = `${entry.path}/README.md, "Everything it exports"`;
  const [, rest] = textOf(join(entry.dir, 'README.md')).split('\n## Everything it exports\n');
  if (rest === undefined) return [`${where}, is missing`];
  const [section = ''] = rest.split('\n## ');
  const listed = new Set((section.match(/`[^`]+`/g) ?? []).flatMap((code) => code.match(/\w+/g) ?? []));
  const names = report.matchAll(
    /^export (?:\{ (?:\w+ as )?|(?:abstract )?(?:class|const|function|interface|type) )(\w+)/gm,
  );
  const missing = new Set([...names].map(([, name = '']) => name).filter((name) => !listed.has(name)));
  return missing.size === 0 ? [] : [`${where}, lacks names of ${entry.entry}: ${[...missing].join(', ')}`];
}

/** @param {string} path */
function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

if (isMain(import.meta)) {
  const problems = apiReports(workspaceRoot, process.argv.includes('--check'));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
