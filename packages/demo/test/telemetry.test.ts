import { closeServer } from '@hdrscope/kit';
import { HOST, listen } from '../src/listening.ts';
import { countsInMetricsText, createDurationHistogram, startTelemetry } from '../src/telemetry.ts';

test('records through the global API show in Prometheus and in the registry', async () => {
  const { hdr, server, shutdown } = startTelemetry();
  const duration = createDurationHistogram();
  duration.record(0.012, { 'http.route': '/a', 'http.response.status_code': 200 });
  duration.record(0.5, { 'http.route': '/b', 'http.response.status_code': 200 });
  duration.record(0.001, { 'http.route': '/b', 'http.response.status_code': 404 });
  const { port } = await listen(server, 0);

  const [metrics, elsewhere, snapshot] = await Promise.all([
    fetch(`http://${HOST}:${port}/metrics?x=1`).then((response) => response.text()),
    fetch(`http://${HOST}:${port}/`),
    hdr.registry.gather(),
  ]);
  await closeServer(server);
  await shutdown();

  expect(metrics).toContain('# TYPE http_server_request_duration_seconds histogram\n');
  expect(countsInMetricsText(metrics)).toEqual(
    new Map([
      [200, 2],
      [404, 1],
    ]),
  );
  expect([elsewhere.status, await elsewhere.text()]).toEqual([404, 'metrics are at /metrics\n']);
  expect(snapshot.families.map(({ name, layout }) => [name, layout.significantDigits])).toEqual([
    ['http.server.request.duration', 3],
  ]);
});

test('other metrics do not add to the counts', () => {
  const text =
    'other_count{http_response_status_code="200"} 5\nhttp_server_request_duration_seconds_sum{a="b"} 1.5\n';

  expect(countsInMetricsText(text)).toEqual(new Map());
});
