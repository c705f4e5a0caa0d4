/**
 * The licences of the packages of others that a file of ours contains.
 *
 * @typedef {Map<string, Set<string>>} Contained The texts of the licences of each package, by its name, version and licence.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file with the texts of all licences, in `dist` of a package that contains packages of others. */
export const NOTICES = 'THIRD-PARTY.txt';

/**
 * The packages of others that a file contains. The texts are the files that each package has of them, and the comments at the start
 * of its modules.
 *
 * @param {string} dir The folder from which the file was made.
 * @param {import('esbuild').Metafile['outputs'][string]['inputs']} inputs
 * @returns {Contained}
 */
export function listContained(dir, inputs) {
  /** @type {Contained} */
  const contained = new Map();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder === undefined || bytesInOutput === 0) continue;
    const { name, version, license } = JSON.parse(readFileSync(join(dir, folder, 'package.json'), 'utf8'));
    const title = `${name} ${version} (${license})`;
    const texts = contained.get(title) ?? new Set(licenceFiles(join(dir, folder)));
    contained.set(title, texts);
    const [comment = ''] = HEAD.exec(readFileSync(join(dir, path), 'utf8')) ?? [];
    if (/copyright|licensed/i.test(comment)) texts.add(comment.trim());
  }
  return contained;
}

/** The comment at the start of a module. */
const HEAD = /^\s*(?:\/\*[\s\S]*?\*\/|(?:\/\/.*\n)+)/;

/**
 * @param {string} dir
 * @returns {string[]}
 */
function licenceFiles(dir) {
  const entries = readdirSync(dir, { withFileTypes: true });
  const texts = entries
    .filter(({ name }) => /^(?:licen[cs]e|notice|copyright)/i.test(name))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      // ECharts has a folder of further licences.
      return entry.isDirectory() ? licenceFiles(path) : [readFileSync(path, 'utf8').trim()];
    });
  const readme = entries.find(({ name }) => /^readme\.md$/i.test(name));
  return texts.length > 0 || readme === undefined
    ? texts
    : readLicence(readFileSync(join(dir, readme.name), 'utf8'));
}

/** The licence at the end of a README, where a package has no file of it. @param {string} readme */
function readLicence(readme) {
  const [, text] = /^#+ licen[cs]e$([^#]+)$/im.exec(readme) ?? [];
  return text === undefined ? [] : [text.trim()];
}

/**
 * The first line of a file that contains packages of others.
 *
 * @param {string} owner The package of the file.
 * @param {Contained} contained
 */
export function formatBanner(owner, contained) {
  const titles = [...contained.keys()].sort().join(', ');
  return `/*! Contains, minified: ${titles}. Their licences: dist/${NOTICES} of ${owner}. */\n`;
}

/**
 * The text of `NOTICES`.
 *
 * @param {readonly Contained[]} files What each file contains.
 * @throws Error when a package has no text of its licence.
 */
export function formatNotices(files) {
  const titles = [...new Set(files.flatMap((contained) => [...contained.keys()]))].sort();
  const parts = titles.map((title) => {
    const texts = new Set(files.flatMap((contained) => [...(contained.get(title) ?? [])]));
    if (texts.size === 0) throw new Error(`${title} has no text of its licence`);
    return [title, ...texts].join('\n\n');
  });
  return `${[HEADING, ...parts].join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

const HEADING = `Files of this package contain parts of the packages below. They are bundled and minified, and otherwise unchanged.
The file LICENSE of this package has the text of Apache-2.0.`;
