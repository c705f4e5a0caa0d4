import { defineConfig } from 'vitepress';
import { publicEntries } from '../reference/entries.js';
import { pagePath, placeOf, repositoryLinks } from './links.js';
import { SIDEBAR } from './sidebar.js';

const REFERENCE = publicEntries().map(({ name }) => ({ text: name, link: `/api/${name}/` }));

export default defineConfig({
  title: 'hdrscope',
  description:
    'HDR-precision histograms for OpenTelemetry: the whole distribution, and every percentile of it.',
  lang: 'en',
  // Documents are pages where they lie in the repository, so that each is read in both places.
  srcDir: '..',
  srcExclude: ['{.github,.devcontainer,.gallery,.packed,examples/*/node_modules}/**', '**/test/**'],
  outDir: './.vitepress/dist',
  cacheDir: './.vitepress/cache',
  rewrites: pagePath,
  lastUpdated: false,
  markdown: { config: repositoryLinks, anchor: { slugify: placeOf } },
  // A page asks no other site for anything, so the site works without a network.
  head: [
    [
      'meta',
      { 'http-equiv': 'Content-Security-Policy', content: "default-src 'self' 'unsafe-inline' data:" },
    ],
  ],
  themeConfig: {
    nav: [
      { text: 'Why', link: '/why.html' },
      { text: 'Guides', link: '/guides/' },
      { text: 'Packages', link: '/overview.html#packages' },
      { text: 'Reference', link: '/api/' },
    ],
    sidebar: { '/api/': [{ text: 'API reference', link: '/api/', items: REFERENCE }], '/': SIDEBAR },
    outline: [2, 3],
    search: { provider: 'local' },
    externalLinkIcon: true,
  },
});
