/** The list of targets: a target for every decoder and parser of foreign bytes. */

/**
 * @typedef {import('./engine.js').Target} Target
 *
 * @typedef {object} Entry
 * @property {string} about
 * @property {number} share Of the cases of a run over all targets: those that run fast have more.
 * @property {() => Promise<Target>} load
 */

/** @type {Record<string, Entry>} */
export const TARGETS = {
  histogram: entry('HdrHistogram encodings V0 to V2, raw, compressed and in Base64', 12, 'core', 'histogram'),
  'double-histogram': entry('encodings of double histograms', 8, 'core', 'doubleHistogram'),
  'histogram-json': entry('histograms of all three kinds in JSON', 6, 'core', 'histogramJson'),
  'percentile-text': entry('printed percentile distributions', 8, 'core', 'percentileText'),
  durations: entry('durations', 12, 'kit', 'durations'),
  sizes: entry('sizes', 12, 'kit', 'sizes'),
  'json-budget': entry('JSON within a budget', 5, 'kit', 'jsonBudget'),
  numbers: entry('lines of numbers, in any chunks', 2, 'kit', 'numbers'),
  log: entry('whole interval logs, also in other encodings and compressed', 1, 'interval-log', 'log'),
  'gzip-streams': entry(
    'streams of gzip that follow each other, in browsers',
    2,
    'interval-log',
    'gzipStreams',
  ),
  'log-line': entry('single lines of interval logs', 2, 'interval-log', 'logLine'),
  'log-operations': entry(
    'what the operations do with an interval log',
    0.5,
    'interval-log',
    'logOperations',
  ),
  'text-kind': entry('what kind a text is', 4, 'interval-log', 'textKind'),
  'series-tag': entry('tags that name series', 2, 'interval-log', 'seriesTag'),
  'family-note': entry('comments that describe families', 5, 'interval-log', 'familyNote'),
  'processor-arguments': entry('arguments of the log processor', 3, 'interval-log', 'processorArguments'),
  'otlp-protobuf': entry('requests of OTLP in protobuf', 1, 'otel', 'otlpProtobuf'),
  'otlp-json': entry('requests of OTLP in JSON', 1, 'otel', 'otlpJson'),
  'grpc-message': entry('frames of gRPC, in any chunks', 2, 'otel', 'grpcMessage'),
  'otlp-answer': entry(
    'answers of an OTLP receiver, and when it wants another request',
    8,
    'otel',
    'otlpAnswer',
  ),
  'otlp-variables': entry("OpenTelemetry's variables of OTLP exporters", 5, 'otel', 'otlpVariables'),
  'view-setting': entry('the variable HDRSCOPE_VIEWS', 3, 'otel', 'viewSetting'),
  'agent-yaml': entry('configurations of the agent', 0.1, 'agent', 'agentYaml'),
  'ceph-dump': entry('histogram dumps of Ceph', 2, 'ceph', 'cephDump'),
  'ceph-schema': entry('histogram schemas of Ceph', 2, 'ceph', 'cephSchema'),
  'admin-request': entry('requests to an admin socket', 3, 'ceph', 'adminRequest'),
  'admin-reply': entry('refusals of an admin socket', 10, 'ceph', 'adminReply'),
  'remote-changes': entry('changes of a remote registry', 1.5, 'registry', 'remoteChanges'),
  'remote-question': entry('questions to a served registry', 2, 'registry', 'remoteQuestion'),
  'prometheus-headers': entry('headers of a scrape', 4, 'prometheus', 'headers'),
  'prometheus-text': entry(
    'names and labels of any text in the exposition formats',
    0.5,
    'prometheus',
    'exposition',
  ),
  bpftrace: entry('lines that bpftrace prints', 3, 'ebpf', 'bpftrace'),
  bpftool: entry('what bpftool prints', 2, 'ebpf', 'bpftool'),
  btf: entry('types of the kernel', 12, 'ebpf', 'btf'),
  'exporter-yaml': entry('configurations of ebpf_exporter', 0.1, 'ebpf', 'exporterYaml'),
  'kernel-layout': entry('names of layouts', 3, 'ebpf', 'kernelLayout'),
  'map-shape': entry('types of maps in C', 3, 'ebpf', 'mapShape'),
  'bpftrace-script': entry('scripts of bpftrace', 3, 'ebpf', 'bpftraceScript'),
  'history-file': entry('files of a history without a seal', 1, 'history', 'historyFile'),
  'past-record': entry('records in the folder of the history of a page', 1, 'dashboard', 'pastRecord'),
  'input-form': entry('what form an input has', 3, 'inputs', 'inputForm'),
  'gatling-log': entry('the simulation.log of Gatling, text and binary', 2, 'inputs', 'gatlingLog'),
  'access-log': entry('access logs, in the usual formats and in any other', 2, 'inputs', 'accessLog'),
  'log-format': entry('formats of access logs', 4, 'inputs', 'logFormat'),
  'load-counts': entry('counts of fio and Locust', 1, 'inputs', 'loadCounts'),
  ddsketch: entry('DDSketches, in protobuf and in their own encoding', 3, 'inputs', 'ddsketch'),
  'sketch-text': entry('sketches of Envoy, VictoriaMetrics and Elasticsearch', 2, 'inputs', 'sketchText'),
  'statsd-packet': entry('packets of StatsD and DogStatsD', 4, 'inputs', 'statsdPacket'),
  'load-summary': entry('summaries of load generators', 4, 'inputs', 'loadSummary'),
  'scraped-text': entry('texts of a scraped target', 3, 'prometheus', 'scrapedText'),
  'scraped-protobuf': entry('protobuf of a scraped target', 2, 'prometheus', 'scrapedProtobuf'),
  'scrape-bounds': entry('bounds in the text of a scrape', 5, 'prometheus', 'scrapeBounds'),
  'snappy-block': entry('blocks of Snappy', 6, 'prometheus', 'snappyBlock'),
  'write-request': entry('requests of remote write, decompressed', 1, 'prometheus', 'writeRequest'),
  'promql-rewriting': entry(
    'queries that are rewritten for native histograms',
    3,
    'prometheus',
    'promqlRewriting',
  ),
  'query-document': entry(
    'rule files and dashboards whose queries are rewritten',
    0.5,
    'cli',
    'queryDocument',
  ),
  'program-code': entry('programs that are moved to hdrscope', 0.2, 'cli', 'programCode'),
  moment: entry('moments on the command line', 5, 'cli', 'moment'),
  'plot-json': entry('plots in JSON', 2, 'plot', 'plotJson'),
  'plot-texts': entry('plots with any texts and numbers, drawn in a terminal', 0.5, 'plot', 'plotTexts'),
};

/**
 * @param {string} about
 * @param {number} share
 * @param {string} module
 * @param {string} name
 * @returns {Entry}
 */
function entry(about, share, module, name) {
  return { about, share, load: async () => (await import(`./targets/${module}.js`))[name]() };
}

/**
 * @param {string} name
 * @returns {Promise<Target>}
 */
export function loadTarget(name) {
  const found = TARGETS[name];
  if (found === undefined) throw new Error(`no target is called ${name}: npm run fuzz -- --list`);
  return found.load();
}
