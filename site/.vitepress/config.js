import { defineConfig } from 'vitepress';
import { publicEntries } from '../reference/entries.js';
import { pagePath, placeOf, repositoryLinks } from './links.js';
import { SIDEBAR } from './sidebar.js';

const REFERENCE = publicEntries().map(({ name }) => ({ text: name, link: `/api/${name}/` }));

/** Four bars of a histogram. Without an icon, browsers ask for one that is not there. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#3451b2"><path d="M1 9h3v6H1zM5 2h3v13H5zM9 6h3v9H9zM13 12h2v3h-2z"/></svg>',
)}`;

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
    ['link', { rel: 'icon', href: ICON }],
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
      { text: 'Integrations', link: '/formats/#what-hdrscope-reads-and-writes' },
      { text: 'Reference', link: '/api/' },
    ],
    sidebar: { '/api/': [{ text: 'API reference', link: '/api/', items: REFERENCE }], '/': SIDEBAR },
    outline: [2, 3],
    search: { provider: 'local' },
    externalLinkIcon: true,
  },
});
