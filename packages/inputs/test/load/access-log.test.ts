import { readFileSync } from 'node:fs';
import { costOf } from '@hdrscope/testing/cost';
import fc from 'fast-check';
import { type RequestForm, readRequests, recogniseInput } from '../../src/index.ts';
import { summarizeRequestGroups } from '../../src/internal.ts';

// Logs of the servers themselves. `tools/goldens/load-tools` has the program that made them.

const golden = (name: string): Buffer => readFileSync(new URL(`goldens/${name}`, import.meta.url));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const APACHE = '%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\" %D %T %{ms}T';
const UPSTREAM =
  '$remote_addr [$time_iso8601] "$request_method $uri" $status rt=$request_time urt="$upstream_response_time" ua="$upstream_addr" msec=$msec';

interface Request {
  readonly ms: number;
  readonly at: number;
  readonly labels: readonly string[];
}

async function readAll(
  form: RequestForm,
  text: Uint8Array,
  options: Parameters<typeof readRequests>[3] = {},
): Promise<{ requests: Request[]; failed: number; outcomes: number }> {
  const found = { requests: [] as Request[], failed: 0, outcomes: 0 };
  const sink: Parameters<typeof readRequests>[2] = {
    onRequest: (ms, at, labels = []) => found.requests.push({ ms, at, labels: [...labels] }),
    onOutcome(isFailed) {
      found.outcomes++;
      if (isFailed) found.failed++;
    },
  };
  await readRequests(form, text, sink, { name: 'access.log', ...options });
  return found;
}

test.each([
  ['nginx log', 'nginx-1.22.1.log', {}],
  ['nginx json', 'nginx-1.22.1_json.log', {}],
  ['access log', 'nginx-1.22.1_upstream.log', { logFormat: UPSTREAM }],
  ['access log', 'apache-2.4.71.log', { logFormat: APACHE }],
] as const)('the %s %s has the requests, their routes and their outcomes', async (form, name, options) => {
  if (form !== 'access log') expect(recogniseInput(golden(name))).toBe(form);
  const { requests, failed, outcomes } = await readAll(form, golden(name), {
    ...options,
    labels: ['method', 'route', 'status'],
  });
  expect([requests.length, failed, outcomes]).toEqual([40, 8, 40]);
  const routes = ['/cart/:id', '/users/:id/orders', '/health', '/cart/:id/items', '(not found)'];
  const statuses = ['200', '200', '200', '503', '404'];
  for (const [i, { labels, at }] of requests.entries()) {
    expect(labels).toEqual([i % 7 === 0 ? 'POST' : 'GET', routes[i % 5], statuses[i % 5]]);
    expect(at - Date.UTC(2026, 10, 28, 21, 52) / 1000).toBeLessThan(60);
  }
});

test('three formats of one nginx say the same', async () => {
  const labels = ['method', 'route', 'status'];
  const [text, json, upstream] = await Promise.all([
    readAll('nginx log', golden('nginx-1.22.1.log'), { labels }),
    readAll('nginx json', golden('nginx-1.22.1_json.log'), { labels }),
    readAll('access log', golden('nginx-1.22.1_upstream.log'), { labels, logFormat: UPSTREAM }),
  ]);
  expect(json).toEqual(text);
  const durationsOf = ({ requests }: typeof text) => requests.map(({ ms, labels: own }) => [ms, own]);
  expect(durationsOf(upstream)).toEqual(durationsOf(text));
});

test('the units of Apache agree within the bounds that are stated for each', async () => {
  const read = async (wanted: string) => {
    const logFormat = APACHE.replace(
      ' %D %T %{ms}T',
      ` ${['%D', '%T', '%{ms}T'].map((one) => (one === wanted ? one : '%{X}e')).join(' ')}`,
    );
    const options = { by: [], where: {}, percentiles: [50, 90, 100], significantDigits: 3 };
    const { groups } = await summarizeRequestGroups(
      'access log',
      [{ name: 'a', bytes: golden('apache-2.4.71.log') }],
      options,
      { logFormat },
    );
    return groups[0]!.figures.percentiles;
  };
  const [fine, seconds, milliseconds] = await Promise.all(['%D', '%T', '%{ms}T'].map(read));
  for (const [at, { lower, upper }] of fine!.entries()) {
    expect(upper - lower).toBeLessThan(0.0021 + upper / 900);
    for (const coarse of [seconds![at]!, milliseconds![at]!]) {
      expect(coarse.lower).toBeLessThanOrEqual(lower + 0.001);
      expect(coarse.upper).toBeGreaterThanOrEqual(upper - upper / 900);
    }
  }
  expect(seconds![0]!.upper).toBe(1000);
});

const ENVOY =
  '[2026-11-28T21:00:00.250Z] "GET /cart/7?x=1 HTTP/1.1" 200 - 0 154 12 11 "10.0.0.1" "curl/8" "a-b" "shop.example" "10.1.2.3:80"\n';

test('the default format of Envoy has durations that drop a part of a millisecond', async () => {
  const log = `${ENVOY}${ENVOY.replace(' 200 - ', ' 503 UF ').replace('12 11', '3 -').replace('"10.1.2.3:80"', '"-"')}`;
  expect(recogniseInput(log)).toBe('envoy log');
  const labels = ['route', 'upstream', 'status', 'REQ(:AUTHORITY)'];
  const { requests, failed } = await readAll('envoy log', bytes(log), { labels });
  const at = Date.UTC(2026, 10, 28, 21) / 1000 + 0.25;
  expect(requests).toEqual([
    { ms: 12, at, labels: ['/cart/:id', '10.1.2.3:80', '200', 'shop.example'] },
    { ms: 3, at, labels: ['/cart/:id', '-', '503', 'shop.example'] },
  ]);
  expect(failed).toBe(1);
  const options = { by: [], where: {}, percentiles: [100], significantDigits: 3 };
  const { groups } = await summarizeRequestGroups(
    'envoy log',
    [{ name: 'e', bytes: bytes(log) }],
    options,
    {},
  );
  expect(groups[0]?.figures.percentiles[0]).toMatchObject({ lower: 12, upper: 13 });
});

test.each([
  // The example of Envoy's documentation.
  [
    '[2016-04-15T20:17:00.310Z] "POST /api/v1/locations HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "locations" "tcp://10.0.2.1:80"',
    { ms: 226, at: 1_460_751_420.31, labels: ['POST', '/api/v1/locations', '204', 'tcp://10.0.2.1:80'] },
  ],
  // The example of Istio's documentation.
  [
    '[2020-11-25T21:26:18.409Z] "GET /status/418 HTTP/1.1" 418 - via_upstream - "-" 0 135 3 1 "-" "curl/7.73.0-DEV" "84961386-6d84-929d-98bd-c5aee93b5c88" "httpbin:8000" "127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 10.44.1.23:37652 outbound_.8000_._.httpbin.foo.svc.cluster.local default',
    { ms: 3, at: 1_606_339_578.409, labels: ['GET', '/status/:id', '418', '127.0.0.1:80'] },
  ],
])('the documented line of a proxy is read: %s', async (text, request) => {
  expect(recogniseInput(`${text}\n`)).toBe('envoy log');
  const labels = ['method', 'route', 'status', 'upstream'];
  expect(await readAll('envoy log', bytes(text), { labels })).toMatchObject({
    requests: [request],
    failed: 0,
  });
});

test.each([
  [
    'envoy json',
    '{"start_time":"2026-11-28T21:00:00.250Z","method":"GET","path":"/a/1","response_code":200,"response_flags":"-","duration":12,"upstream_host":"10.1.2.3:80"}',
    12,
  ],
  [
    'caddy json',
    '{"level":"info","ts":1795899600.25,"logger":"http.log.access.log0","msg":"handled request","request":{"method":"GET","uri":"/a/1"},"duration":0.0120005,"status":200}',
    12.0005,
  ],
  [
    'traefik json',
    '{"DownstreamStatus":200,"Duration":12000500,"RequestMethod":"GET","RequestPath":"/a/1","ServiceAddr":"10.1.2.3:80","StartUTC":"2026-11-28T21:00:00.25Z"}',
    12.0005,
  ],
] as const)('%s is recognised, and has its unit', async (form, line, ms) => {
  expect(recogniseInput(`${line}\n`)).toBe(form);
  const { requests } = await readAll(form, bytes(`${line}\n`), { labels: ['method', 'route', 'status'] });
  expect(requests).toEqual([{ ms, at: 1_795_899_600.25, labels: ['GET', '/a/:id', '200'] }]);
});

const line = (path: string, status = 200, seconds = '0.003', agent = 'x'): string =>
  `10.0.0.1 - - [28/Nov/2026:21:00:00 +0100] "GET ${path} HTTP/1.1" ${status} 5 "-" "${agent}" ${seconds}\n`;

test('the time of a line has its zone', async () => {
  const { requests } = await readAll('nginx log', bytes(line('/')));
  expect(requests[0]?.at).toBe(Date.UTC(2026, 10, 28, 20) / 1000);
});

describe('routes', () => {
  const routesOf = async (paths: readonly string[], options = {}): Promise<string[]> => {
    const log = paths.map((path) => line(path)).join('');
    const { requests } = await readAll('nginx log', bytes(log), { labels: ['route'], ...options });
    return requests.map(({ labels }) => labels[0]!);
  };

  test.each([
    ['/', '/'],
    ['/api/v1/users/42?q=1', '/api/v1/users/:id'],
    ['/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301', '/u/:id'],
    ['/commit/3f2504e04f89', '/commit/:id'],
    ['/day/2026-11-28/', '/day/:id/'],
    ['/img/1234.png', '/img/:id.png'],
    ['/t/eyJhbGciOiJIUzI1NiIsInR5cCI6', '/t/:id'],
    ['/about/contact-us', '/about/contact-us'],
    ['http://shop.example/cart/7', '/cart/:id'],
    ['*', '-'],
    ['', '-'],
  ])('of %s is %s', async (path, route) => {
    expect(await routesOf([path])).toEqual([route]);
  });

  test('that are stated come first', async () => {
    const routes = ['/cart/:id', '/files/*'];
    expect(await routesOf(['/cart/shoes', '/files/a/b/c', '/cart/7/x'], { routes })).toEqual([
      '/cart/:id',
      '/files/*',
      '/cart/:id/x',
    ]);
  });

  test('with a segment of more than 100 values are one, also for the requests before', async () => {
    const names = Array.from(
      { length: 150 },
      (_, i) => `/user/${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}x/posts`,
    );
    const log = bytes([...names, '/about', '/user/me'].map((path) => line(path)).join(''));
    const options = { by: ['route'], where: {}, percentiles: [50], significantDigits: 3 };
    const { groups } = await summarizeRequestGroups('nginx log', [{ name: 'a', bytes: log }], options, {});
    expect(groups.map(({ labels, figures }) => [labels.route, figures.count])).toEqual([
      ['/user/:id/posts', 150],
      ['/about', 1],
      ['/user/:id', 1],
    ]);
  });

  test('that are stated keep their names, and choose requests by their last names', async () => {
    const names = Array.from(
      { length: 150 },
      (_, i) => `/${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}y/z`,
    );
    const log = bytes(['/cart/shoes', ...names, '/cart/hats'].map((path) => line(path)).join(''));
    const read = async (where: Readonly<Record<string, string>>, by: readonly string[]) => {
      const options = { by, where, percentiles: [50], significantDigits: 3 };
      const input = [{ name: 'a', bytes: log }];
      const { groups } = await summarizeRequestGroups('nginx log', input, options, {
        routes: ['/cart/:item'],
      });
      return groups.map(({ labels, figures }) => [...Object.values(labels), figures.count]);
    };
    expect(await read({}, ['route', 'route'])).toEqual([
      ['/:id/z', 150],
      ['/cart/:item', 2],
    ]);
    expect(await read({ route: '/:id/z', status: '200' }, ['method'])).toEqual([['GET', 150]]);
    expect(await read({ route: '/cart/:item' }, [])).toEqual([[2]]);
    expect(await read({ route: '/ay/z' }, [])).toEqual([]);
  });

  test('are not made of scans for paths that do not exist', async () => {
    const log = bytes(
      Array.from({ length: 500 }, (_, i) =>
        line(`/wp-${'abcdefghij'[i % 10]}/${'klmno'.repeat(1 + (i % 60))}`, 404),
      ).join('') + line('/health'),
    );
    const { requests } = await readAll('nginx log', log, { labels: ['route'] });
    expect(new Set(requests.map(({ labels }) => labels[0]))).toEqual(new Set(['(not found)', '/health']));
  });

  test('never lose a request, and have no more names than are kept apart', async () => {
    const segment = fc.constantFrom('a', 'b', '7', 'cart', '2026-11-28', 'x'.repeat(30));
    const paths = fc.array(
      fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(paths, async (all) => {
        const log = bytes(all.map((path) => line(path)).join(''));
        const options = { by: ['route'], where: {}, percentiles: [50], significantDigits: 3 };
        const { groups } = await summarizeRequestGroups(
          'nginx log',
          [{ name: 'a', bytes: log }],
          options,
          {},
        );
        expect(groups.reduce((sum, { figures }) => sum + Number(figures.count), 0)).toBe(all.length);
        expect(new Set(groups.map(({ labels }) => labels.route)).size).toBe(groups.length);
      }),
    );
  });
});

test('groups beyond 1,000 are counted as one, and their requests are stated', async () => {
  const log = bytes(Array.from({ length: 1100 }, (_, i) => line('/', 200, '0.003', `agent ${i}`)).join(''));
  const options = { by: ['http_user_agent'], where: {}, percentiles: [50], significantDigits: 3 };
  const { groups, beyond } = await summarizeRequestGroups(
    'nginx log',
    [{ name: 'a', bytes: log }],
    options,
    {},
  );
  expect([
    groups.length,
    beyond,
    groups.at(-1)?.labels.http_user_agent,
    groups.at(-1)?.figures.count,
  ]).toEqual([1001, 100, '(other)', 100]);
});

test('requests beyond 1,000 groups are left out where a route is wanted, and stated', async () => {
  const log = bytes(Array.from({ length: 1100 }, (_, i) => line('/', 200, '0.003', `agent ${i}`)).join(''));
  const options = { by: ['http_user_agent'], where: { route: '/' }, percentiles: [50], significantDigits: 3 };
  const { groups, beyond } = await summarizeRequestGroups(
    'nginx log',
    [{ name: 'a', bytes: log }],
    options,
    {},
  );
  expect([groups.length, beyond]).toEqual([1000, 100]);
});

test('quotes that belong to a value do not end it', async () => {
  const format = '%h \\"%r\\" %>s \\"%{User-Agent}i\\" %D';
  const log =
    '10.0.0.1 "GET /a\\"b HTTP/1.1" 200 "a \\\\\\" agent" 1500\n10.0.0.1 "GET /c HTTP/1.1" 200 "back\\\\" 2500\n';
  const { requests } = await readAll('access log', bytes(log), {
    logFormat: format,
    labels: ['path', '{User-Agent}i'],
  });
  expect(requests.map(({ ms, labels }) => [ms, ...labels])).toEqual([
    [1.5, '/a\\"b', 'a \\\\\\" agent'],
    [2.5, '/c', 'back\\\\'],
  ]);
});

test.each([
  ['of another tool', 'timeStamp,elapsed\n', 1],
  ['that is a page', '<html><body>502</body></html>\n', 1],
  ['that is cut short', line('/').slice(0, 40), 1],
  ['without a duration', line('/', 200, '-'), 1],
  ['with a duration below 0', line('/', 200, '-0.003'), 1],
  ['with a duration of thirty thousand years', line('/', 200, '999999999999.000'), 1],
  ['with a status of letters', line('/').replace(' 200 ', ' abc '), 1],
  ['of ten megabytes', `${'x'.repeat(10_000_000)}\n`, 1],
])('a line %s is left out and named, and the others count once', async (_, bad, lines) => {
  const messages: string[] = [];
  const log = bytes(`${line('/a')}${bad.endsWith('\n') ? bad : `${bad}\n`}${line('/b')}`);
  const { requests } = await readAll('nginx log', log, {
    onBadLine: ({ message }) => messages.push(message),
  });
  expect(requests.length).toBe(2);
  expect(messages.length).toBe(lines);
  expect(messages[0]).toMatch(/^access\.log: line 2 [^\n]{1,100}$/);
});

test.each([
  ['$remote_addr $status', /must be one with the duration of a request: request_time, got /],
  ['%h %>s', /must be one with the duration of a request: D, \{us\}T, \{ms\}T, T, \{s\}T, got /],
  ['$request_time$status', /must be one with a text between request_time and status, got /],
  ['combined', /must be one with variables, as in \$request_time, %D or %DURATION%, got "combined"/],
])('the format %s is refused', async (logFormat, message) => {
  await expect(readAll('access log', bytes('x\n'), { logFormat })).rejects.toThrow(message);
});

test('labels that requests do not have are refused with those that they have', async () => {
  await expect(readAll('nginx log', bytes(line('/')), { labels: ['rout'] })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringMatching(
      /^the requests have no label rout: there are method, route, path, status, /,
    ),
  });
  await expect(readAll('gatling log', golden('gatling-3.12.0.log'), { labels: ['route'] })).rejects.toThrow(
    'the requests have no label route: they have name, group',
  );
  await expect(readAll('access log', bytes(line('/')))).rejects.toThrow(
    'the format of the access log must be stated',
  );
});

test('a table of requests has its columns as labels', async () => {
  const table = 'timeStamp,elapsed,label,success\n1000,12,"cart, full",true\n1001,13,home,false\n';
  const { requests } = await readAll('jmeter table', bytes(table), { labels: ['label'] });
  expect(requests.map(({ labels }) => labels[0])).toEqual(['cart, full', 'home']);
  await expect(readAll('jmeter table', bytes(table), { labels: ['route'] })).rejects.toThrow(
    'the requests have no label route: the columns are timeStamp, elapsed, label, success',
  );
});

test('hostile lines cost no more than others', () => {
  for (const beginning of [
    `10.0.0.1 - - [28/Nov/2026:21:00:00 +0100] "${'\\"'.repeat(30_000)}`,
    `{"request_time"${' '.repeat(60_000)}`,
    `${'"'.repeat(60_000)}`,
  ])
    expect(costOf(() => recogniseInput(beginning)).cpuMs).toBeLessThan(300);
});
