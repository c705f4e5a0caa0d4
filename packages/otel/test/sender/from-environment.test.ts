import { otlpOptionsFromEnvironment, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';

/** The options and the warnings for variables whose names are given without `OTEL_EXPORTER_OTLP_`. */
function read(variables: Readonly<Record<string, string>>) {
  const entries = Object.entries(variables).map(([name, value]) => [`OTEL_EXPORTER_OTLP_${name}`, value]);
  return otlpOptionsFromEnvironment(Object.fromEntries(entries));
}

const HTTP = { url: 'http://localhost:4318/v1/metrics', protocol: 'http/protobuf' };

test('an empty environment has the defaults of the specification', () => {
  expect(otlpOptionsFromEnvironment({})).toEqual({ options: HTTP, warnings: [] });
  expect(read({ ENDPOINT: '', PROTOCOL: ' ', TIMEOUT: '' })).toEqual({ options: HTTP, warnings: [] });
  expect(read({ PROTOCOL: 'grpc' }).options).toEqual({ url: 'http://localhost:4317', protocol: 'grpc' });
});

test('every variable becomes an option, and sendOtlp takes all of them', async () => {
  const { options, warnings } = read({
    ENDPOINT: 'https://collector:4318',
    PROTOCOL: 'HTTP/JSON',
    HEADERS: 'Authorization=Bearer%20a%3Db, tenant = 7 ,',
    TIMEOUT: '2500',
    COMPRESSION: 'none',
    CERTIFICATE: '/tls/ca.pem',
    CLIENT_CERTIFICATE: '/tls/cert.pem',
    CLIENT_KEY: '/tls/key.pem',
    METRICS_TEMPORALITY_PREFERENCE: 'LowMemory',
    METRICS_DEFAULT_HISTOGRAM_AGGREGATION: 'base2_exponential_bucket_histogram',
  });
  expect(warnings).toEqual([]);
  expect(options).toEqual({
    url: 'https://collector:4318/v1/metrics',
    protocol: 'http/json',
    headers: { authorization: 'Bearer a=b', tenant: '7' },
    timeoutMs: 2500,
    compression: 'none',
    tls: { caFile: '/tls/ca.pem', certFile: '/tls/cert.pem', keyFile: '/tls/key.pem' },
    temporality: 'delta',
    histograms: 'exponential',
  });
  await sendOtlp(createRegistry(), options).close();
});

test('variables for metrics come first, and headers are merged', () => {
  const { options } = read({
    ENDPOINT: 'http://all:1',
    METRICS_ENDPOINT: 'http://metrics:2/as/it/is?key=1',
    PROTOCOL: 'grpc',
    METRICS_PROTOCOL: 'http/protobuf',
    HEADERS: 'a=1,b=2',
    METRICS_HEADERS: 'b=3',
    TIMEOUT: '1',
    METRICS_TIMEOUT: '0',
  });
  expect(options).toEqual({
    url: 'http://metrics:2/as/it/is?key=1',
    protocol: 'http/protobuf',
    headers: { a: '1', b: '3' },
    timeoutMs: 2 ** 31 - 1,
  });
});

test.each([
  ['http/protobuf', 'http://h/prefix/', {}, 'http://h/prefix/v1/metrics'],
  ['http/protobuf', 'http://h', {}, 'http://h/v1/metrics'],
  ['http/protobuf', 'http://u:p@h:1/a?b=c', {}, 'http://u:p@h:1/a/v1/metrics?b=c'],
  ['grpc', 'http://h:4317', {}, 'http://h:4317'],
  ['grpc', 'https://h:4317', { INSECURE: 'true' }, 'https://h:4317'],
  ['grpc', 'h:4317', {}, 'https://h:4317'],
  ['grpc', 'h:4317', { INSECURE: 'TRUE' }, 'http://h:4317'],
  ['grpc', 'h:4317', { INSECURE: 'true', METRICS_INSECURE: 'false' }, 'https://h:4317'],
  ['grpc', '[::1]:4317', { INSECURE: 'true' }, 'http://[::1]:4317'],
])('%s at %s %p is %s', (PROTOCOL, ENDPOINT, more, url) => {
  expect(read({ PROTOCOL, ENDPOINT, ...more })).toEqual({
    options: { url, protocol: PROTOCOL },
    warnings: [],
  });
});

test.each([
  [{ PROTOCOL: 'http/thrift' }, 'PROTOCOL must be grpc or http/protobuf or http/json, got http/thrift'],
  [{ COMPRESSION: 'br\u001b' }, 'COMPRESSION must be gzip or none, got br\\x1b'],
  [{ TIMEOUT: '-1' }, 'TIMEOUT must be a number of milliseconds, got -1'],
  [{ ENDPOINT: 'collector:4318' }, 'ENDPOINT must be a URL such as http://localhost:4318, got another text'],
  [
    { ENDPOINT: 'http://u:hunter2@:0' },
    'ENDPOINT must be a URL such as http://localhost:4318, got another text',
  ],
  [{ HEADERS: 'secret' }, 'HEADERS has a pair that is not name=value in percent encoding'],
  [{ HEADERS: 'a=%zz' }, 'HEADERS has a pair that is not name=value in percent encoding'],
  [{ HEADERS: 'a=%0d%0ab' }, 'HEADERS has a pair that is not name=value in percent encoding'],
  [{ CLIENT_KEY: 'k.pem' }, 'CLIENT_KEY needs CLIENT_CERTIFICATE beside it'],
  [{ CLIENT_CERTIFICATE: 'c.pem' }, 'CLIENT_CERTIFICATE needs CLIENT_KEY beside it'],
  [{ METRICS_CLIENT_KEY: 'k.pem' }, 'METRICS_CLIENT_KEY needs CLIENT_CERTIFICATE beside it'],
  [{ METRICS_CLIENT_CERTIFICATE: 'c.pem' }, 'METRICS_CLIENT_CERTIFICATE needs CLIENT_KEY beside it'],
  [
    { METRICS_TEMPORALITY_PREFERENCE: 'both' },
    'METRICS_TEMPORALITY_PREFERENCE must be cumulative or delta or lowmemory, got both',
  ],
  [{ TEMPORALITY_PREFERENCE: 'delta' }, 'TEMPORALITY_PREFERENCE is not known'],
  [{ METRICS_ENDPIONT: 'http://h' }, 'METRICS_ENDPIONT is not known'],
])('%p is ignored with one warning', (variables, warning) => {
  const { options, warnings } = read(variables as Record<string, string>);
  expect(options).toEqual(HTTP);
  expect(warnings).toEqual([`OTEL_EXPORTER_OTLP_${warning}: it is ignored`]);
});

test.each(['dns:///h:4317', 'unix:/run/otlp.sock', 'h:port', 'ftp://h'])(
  'gRPC to %s is ignored with a warning',
  (ENDPOINT) => {
    const { options, warnings } = read({ PROTOCOL: 'grpc', ENDPOINT });
    expect(options.url).toBe('http://localhost:4317');
    expect(warnings).toHaveLength(1);
  },
);

test('a value for metrics that is ignored leaves the general one in force', () => {
  const { options, warnings } = read({ METRICS_TIMEOUT: 'x', TIMEOUT: '7', TRACES_TIMEOUT: 'y' });
  expect(options.timeoutMs).toBe(7);
  expect(warnings).toHaveLength(1);
});
