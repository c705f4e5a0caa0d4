/** The parts of the site, in the order in which somebody new reads them. */
export const SIDEBAR = [
  {
    text: 'Start',
    items: [
      { text: 'Overview', link: '/overview.html' },
      { text: 'First minutes', link: '/first-minutes.html' },
      { text: 'Why: averages and buckets', link: '/why.html' },
      { text: 'Why: percentiles and merging', link: '/why-merge.html' },
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
      { text: 'Alert on an objective', link: '/guides/alert-on-an-slo.html' },
      { text: 'Replace HistogramLogProcessor', link: '/guides/replace-log-processor.html' },
      { text: 'Replace the plotFiles page', link: '/guides/replace-plot-files.html' },
      { text: 'Gate a pull request', link: '/guides/gate-a-pull-request.html' },
      { text: "Read the kernel's histograms", link: '/guides/read-kernel-maps.html' },
      { text: 'Watch a Ceph cluster', link: '/guides/watch-a-ceph-cluster.html' },
      { text: 'Run a fleet', link: '/guides/run-a-fleet.html' },
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
      { text: 'A history', link: '/formats/history.html' },
    ],
  },
  {
    text: 'Packages',
    collapsed: true,
    items: [
      { text: 'The command', link: '/packages/cli/' },
      { text: '@hdrscope/core', link: '/packages/core/' },
      { text: '@hdrscope/registry', link: '/packages/registry/' },
      { text: '@hdrscope/otel', link: '/packages/otel/' },
      { text: '@hdrscope/prometheus', link: '/packages/prometheus/' },
      { text: '@hdrscope/interval-log', link: '/packages/interval-log/' },
      { text: '@hdrscope/history', link: '/packages/history/' },
      { text: '@hdrscope/ebpf', link: '/packages/ebpf/' },
      { text: '@hdrscope/ceph', link: '/packages/ceph/' },
      { text: '@hdrscope/hdr-histogram-js', link: '/packages/hdr-histogram-js/' },
      { text: '@hdrscope/plot', link: '/packages/plot/' },
      { text: '@hdrscope/dashboard', link: '/packages/dashboard/' },
      { text: '@hdrscope/agent', link: '/packages/agent/' },
      { text: '@hdrscope/kit', link: '/packages/kit/' },
      { text: 'The demo', link: '/packages/demo/' },
    ],
  },
  {
    text: 'The project',
    items: [
      { text: 'Architecture', link: '/architecture.html' },
      { text: 'Decisions', link: '/decisions.html' },
      { text: 'Benchmarks', link: '/benchmarks.html' },
      { text: 'Reliability', link: '/reliability.html' },
      { text: 'Bound instruments', link: '/bound-instruments.html' },
      { text: 'Security', link: '/security.html' },
      { text: 'Contributing', link: '/contributing.html' },
      { text: 'Changelog', link: '/changelog.html' },
    ],
  },
];
