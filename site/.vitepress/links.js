import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { workspaceRoot } from '../../tools/lib/workspace.js';

/** @typedef {{ content: string, type: string, attrGet(name: string): string | null, attrSet(name: string, value: string): void, children: Token[] | null }} Token */

const SOURCES = 'https://github.com/hdrscope/hdrscope/blob/main/';

/**
 * The path of a page on the site: documents lie at its root, and a README is the page of its folder.
 *
 * @param {string} file The file, relative to the repository, with `/`.
 */
export function pagePath(file) {
  return file
    .replace(/^(docs|site)\//, '')
    .replace(/(^|\/)README\.md$/, (_, folder) => (folder === '' ? 'overview.md' : `${folder}index.md`))
    .replace(/^[A-Z_]+\.md$/, (name) => name.toLowerCase().replaceAll('_', '-'));
}

/**
 * The name of a heading in links to it, as GitHub makes it.
 *
 * @param {string} heading
 */
export function placeOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Where a relative link of a document leads on the site: to a page, or to the file among the sources.
 *
 * @param {string} href
 * @param {string} document The file that has the link, absolute.
 * @returns {string}
 * @throws Error when the repository has no such file.
 */
function siteLink(href, document) {
  if (/^([a-z]+:|\/|#)/i.test(href)) return href;
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const target = resolve(dirname(document), decodeURI(path));
  const file = relative(workspaceRoot, target).split(sep).join('/');
  // Pages of the reference exist only after they were generated.
  if (!existsSync(target) && !file.startsWith('site/api/')) {
    throw new Error(`${relative(workspaceRoot, document)} has a link to ${href}, which does not exist`);
  }
  const page = pageOf(file, target);
  if (page === undefined) return SOURCES + file + hash;
  return `/${pagePath(page)
    .replace(/(^|\/)index\.md$/, '$1')
    .replace(/\.md$/, '.html')}${hash}`;
}

/**
 * The document that a path leads to: itself, or the README of a folder.
 *
 * @param {string} file
 * @param {string} target
 */
function pageOf(file, target) {
  if (file.endsWith('.md')) return file;
  if (existsSync(target) && statSync(target).isDirectory() && existsSync(join(target, 'README.md'))) {
    return file === '' ? 'README.md' : `${file}/README.md`;
  }
  return undefined;
}

/**
 * A plugin of markdown-it. On GitHub, links lead from file to file; on the site they lead from page to page.
 *
 * @param {{ core: { ruler: { push(name: string, rule: (state: { tokens: Token[], env: { path: string, realPath?: string } }) => void): void } } }} markdown
 */
export function repositoryLinks(markdown) {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const document = env.realPath ?? env.path;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', siteLink(href, document));
    }
  });
}
