import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../../tools/lib/workspace.js';

/** The packages in the order of the table in the README. */
function packagesOfReadme() {
  const readme = readFileSync(join(workspaceRoot, 'README.md'), 'utf8');
  const rows = readme.matchAll(/^\| \[`([^`]+)`\]\((packages\/[^)]+)\)/gm);
  return [...rows].map(([, text, path]) => ({ text, link: `/${path}/` }));
}

/** The parts of the site, in the order in which somebody new reads them. */
export const SIDEBAR = [
  {
    text: 'Start',
    items: [
      { text: 'Your service, in ten minutes', link: '/get-started.html' },
      { text: 'Overview', link: '/overview.html' },
      { text: 'First minutes', link: '/first-minutes.html' },
      { text: 'A tour', link: '/tour.html' },
      // No page of VitePress, whose router would look for one.
      { text: 'Playground', link: '/playground/index.html', target: '_self' },
      { text: 'Why: averages and buckets', link: '/why.html' },
      { text: 'Why: percentiles and merging', link: '/why-merge.html' },
      { text: 'Compared with others', link: '/compared-with.html' },
    ],
  },
  {
    text: 'Guides',
    items: [
      { text: 'All guides', link: '/guides/' },
      { text: 'Export an OpenTelemetry service', link: '/guides/export-an-opentelemetry-service.html' },
      { text: 'Replace the stock exporter', link: '/guides/replace-exporter-prometheus.html' },
      { text: 'Replace prom-client', link: '/guides/replace-prom-client.html' },
      { text: 'Replace hdr-histogram-js', link: '/guides/replace-hdr-histogram-js.html' },
      { text: 'Percentiles of any exporter', link: '/guides/percentiles-of-any-exporter.html' },
      { text: 'Percentiles of StatsD', link: '/guides/percentiles-of-statsd.html' },
      { text: 'Migrate to native histograms', link: '/guides/migrate-to-native-histograms.html' },
      { text: 'Alert on an objective', link: '/guides/alert-on-an-slo.html' },
      { text: 'Replace HistogramLogProcessor', link: '/guides/replace-log-processor.html' },
      { text: 'Replace the plotFiles page', link: '/guides/replace-plot-files.html' },
      { text: 'Percentiles of access logs', link: '/guides/percentiles-of-access-logs.html' },
      { text: 'Gate a pull request', link: '/guides/gate-a-pull-request.html' },
      { text: "Read the kernel's histograms", link: '/guides/read-kernel-maps.html' },
      { text: 'Watch a Ceph cluster', link: '/guides/watch-a-ceph-cluster.html' },
      { text: 'Ceph in Prometheus', link: '/guides/ceph-in-prometheus.html' },
      { text: 'Run a fleet', link: '/guides/run-a-fleet.html' },
      { text: 'Run as an image or an executable', link: '/guides/run-as-image-or-executable.html' },
      { text: 'Ask months of history', link: '/guides/ask-months-of-history.html' },
    ],
  },
  {
    text: 'Help',
    items: [
      { text: 'Troubleshooting', link: '/troubleshooting.html' },
      { text: 'Errors', link: '/errors.html' },
      { text: 'Glossary', link: '/glossary.html' },
    ],
  },
  {
    text: 'Formats',
    items: [
      { text: 'All formats', link: '/formats/' },
      { text: 'HDR histograms', link: '/formats/hdr-histogram.html' },
      { text: 'Interval logs', link: '/formats/interval-log.html' },
      { text: 'A history', link: '/formats/history.html' },
    ],
  },
  {
    text: 'Packages',
    collapsed: true,
    items: packagesOfReadme(),
  },
  {
    text: 'The project',
    items: [
      { text: 'Architecture', link: '/architecture.html' },
      { text: 'Decisions', link: '/decisions.html' },
      { text: 'Benchmarks', link: '/benchmarks.html' },
      { text: 'What 1.x promises', link: '/stability.html' },
      { text: 'Reliability', link: '/reliability.html' },
      { text: 'Bound instruments', link: '/bound-instruments.html' },
      { text: 'Security', link: '/security.html' },
      { text: 'Contributing', link: '/contributing.html' },
      { text: 'Your first change', link: '/first-change.html' },
      { text: 'Releasing', link: '/releasing.html' },
      { text: 'Changelog', link: '/changelog.html' },
    ],
  },
];
