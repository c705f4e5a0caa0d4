/**
 * A service under a NodeSDK, like an application: `node node-sdk-service.cjs LINE [env | URL]`, with a line of the SDK such as
 * 0.223. It answers five requests to itself and prints its metrics. With `env`, the environment chooses its readers, and
 * it prints nothing. With an address, it exports to there, and prints where its live page knows that it exports.
 */
const { createHdr } = require('@hdrscope/otel');
const { metrics } = require('@opentelemetry/api');

const [line, source] = process.argv.slice(2);
const { NodeSDK } = require(`sdk-node-${line}`);
const { HttpInstrumentation } = require(`instrumentation-http-${line}`);
const { createDenyListAttributesProcessor, InMemoryMetricExporter, PeriodicExportingMetricReader } = require(
  line === '0.301' ? 'sdk-metrics-3' : '@opentelemetry/sdk-metrics',
);
const view = {
  instrumentName: 'app.basket',
  attributesProcessors: [createDenyListAttributesProcessor(['user'])],
};

main();

async function main() {
  const hdr = createHdr({ views: [{ instrumentName: 'http.*.duration' }, { instrumentName: 'app.*' }] });
  const exporter = source?.startsWith('http') ? makeOtlp(source) : new InMemoryMetricExporter(1);
  const readers =
    source === 'env'
      ? await hdr.metricReadersFromEnv((name) => import(name))
      : [hdr.wrapReader(new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 }))];
  const sdk = new NodeSDK({
    // The first line supports one reader only.
    ...(line === '0.203' ? { metricReader: readers[0] } : { metricReaders: readers }),
    views: [view],
    instrumentations: [hdr.instrumentation(), new HttpInstrumentation()],
  });
  sdk.start();
  await answerFive();
  metrics
    .getMeter('shop')
    .createHistogram('app.basket', { unit: '{items}' })
    .record(7, { kind: 'gift', user: 'a' });
  metrics.getMeter('shop').createCounter('orders').add(2);
  await Promise.all(readers.map((reader) => reader.forceFlush()));
  if (source?.startsWith('http')) console.log(JSON.stringify(await readExporters(hdr.registry, readers[0])));
  else if (source !== 'env') console.log(JSON.stringify(summaryOf(exporter)));
  await sdk.shutdown();
}

function makeOtlp(url) {
  const { OTLPMetricExporter } = require('@opentelemetry/exporter-metrics-otlp-http');
  return new OTLPMetricExporter({ url });
}

/** Where the live page knows that the process exports, and the addresses of its requests. */
async function readExporters(registry, reader) {
  const { serveDashboard } = require('@hdrscope/dashboard');
  // Its own request is counted when it is answered.
  await new Promise((resolve) => setTimeout(resolve, 200));
  await reader.forceFlush();
  const page = await serveDashboard(registry, { port: 0 });
  const events = await fetch(`${page.url}events`);
  let text = '';
  for await (const part of events.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (/^data: .*\n\n/m.test(text)) break;
  }
  const { exporters, series } = JSON.parse(/^data: (.*)$/m.exec(text)[1]);
  await page.close();
  const addresses = series.flatMap(({ attributes }) => {
    const find = (key) => attributes.find((pair) => pair.startsWith(`${key}=`))?.slice(key.length + 1);
    return find('server.port') === undefined ? [] : [`${find('server.address')}:${find('server.port')}`];
  });
  return { exporters, addresses: [...new Set(addresses)] };
}

async function answerFive() {
  // Loaded here, after the start of the instrumentation, which otherwise would not patch it.
  const http = require('node:http');
  const server = http.createServer((_, response) => response.end('hello'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve, reject) => {
      const request = http.get(
        { host: '127.0.0.1', port: server.address().port, agent: false },
        (response) => {
          response.resume();
          response.on('end', resolve);
        },
      );
      request.on('error', reject);
    });
  }
  await new Promise((resolve) => server.close(resolve));
}

function summaryOf(exporter) {
  const all = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return all.map(({ descriptor, dataPointType, dataPoints }) => ({
    name: descriptor.name,
    unit: descriptor.unit,
    dataPointType,
    keys: [...new Set(dataPoints.flatMap(({ attributes }) => Object.keys(attributes)))],
    count: dataPoints.reduce((sum, { value }) => sum + (value.count ?? value), 0),
  }));
}
