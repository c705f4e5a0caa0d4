/** The parts of the site, in the order in which somebody new reads them. */
export const SIDEBAR = [
  {
    text: 'Start',
    items: [
      { text: 'Overview', link: '/overview.html' },
      { text: 'First minutes', link: '/first-minutes.html' },
      { text: 'Glossary', link: '/glossary.html' },
    ],
  },
  {
    text: 'Formats',
    items: [
      { text: 'All formats', link: '/formats/' },
      { text: 'A history', link: '/formats/history.html' },
    ],
  },
  {
    text: 'The project',
    items: [
      { text: 'Architecture', link: '/architecture.html' },
      { text: 'Decisions', link: '/decisions.html' },
      { text: 'Benchmarks', link: '/benchmarks.html' },
      { text: 'Reliability', link: '/reliability.html' },
      { text: 'Errors', link: '/errors.html' },
      { text: 'Security', link: '/security.html' },
      { text: 'Contributing', link: '/contributing.html' },
      { text: 'Changelog', link: '/changelog.html' },
    ],
  },
];
