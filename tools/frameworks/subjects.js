/** The frameworks that are tried, and what should come of it. */

const HTTP = '@opentelemetry/instrumentation-http';
const EXPRESS = '@opentelemetry/instrumentation-express';
const FASTIFY = '@fastify/otel';

/** @typedef {'CommonJS' | 'ES module' | 'tsx'} Modules TypeScript runs with tsx. */

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {'frameworks' | 'frameworks-previous'} peer Where its packages come from.
 * @property {readonly string[]} packages Those of the framework.
 * @property {string} service In `e2e/test/services`. Other module systems than its own are made of an ES module.
 * @property {readonly string[]} [args]
 * @property {readonly Modules[]} modules
 * @property {string} [instrumentation] What gives its metrics or routes, beside that of HTTP.
 * @property {string} [patterns] `HDRSCOPE_ROUTES`, when no instrumentation gives routes.
 * @property {readonly string[]} expected Parts of the lines of the page that count the items that were asked for.
 * @property {number} [perItem] How many requests count for each item: 1 by default.
 * @property {boolean} [isBuilt] Whether it is Next.js, whose services are built first.
 */

/** @type {readonly Modules[]} */
const ALL = ['CommonJS', 'ES module', 'tsx'];
const REQUESTS = 'http_server_request_duration_seconds_count{';
const ROUTE = [REQUESTS, 'http_route="/items/:id"'];

/** @type {readonly Subject[]} */
export const SUBJECTS = [
  ...['frameworks-previous', 'frameworks'].map(
    (peer, i) =>
      /** @type {Subject} */ ({
        name: `Express ${4 + i}`,
        peer,
        packages: ['express'],
        service: 'express.mjs',
        modules: ALL,
        instrumentation: EXPRESS,
        expected: ROUTE,
      }),
  ),
  {
    name: 'Fastify 5',
    peer: 'frameworks',
    packages: ['fastify'],
    service: 'fastify.mjs',
    modules: ALL,
    instrumentation: FASTIFY,
    expected: ROUTE,
  },
  {
    name: 'Koa 3 with @koa/router',
    peer: 'frameworks',
    packages: ['koa', '@koa/router'],
    service: 'koa.mjs',
    modules: ALL,
    instrumentation: '@opentelemetry/instrumentation-koa',
    expected: ROUTE,
  },
  {
    name: 'hapi 21',
    peer: 'frameworks',
    packages: ['@hapi/hapi'],
    service: 'hapi.mjs',
    modules: ALL,
    instrumentation: '@opentelemetry/instrumentation-hapi',
    expected: [REQUESTS, 'http_route="/items/{id}"'],
  },
  ...[
    { on: 'Express', instrumentation: EXPRESS, args: [] },
    { on: 'Fastify', instrumentation: FASTIFY, args: ['fastify'] },
  ].map(
    ({ on, ...others }) =>
      /** @type {Subject} */ ({
        name: `NestJS 11 on ${on}`,
        peer: 'frameworks',
        packages: ['@nestjs', 'reflect-metadata', 'rxjs'],
        service: 'nest.cjs',
        modules: ['CommonJS'],
        expected: ROUTE,
        ...others,
      }),
  ),
  ...['frameworks-previous', 'frameworks'].map(
    (peer, i) =>
      /** @type {Subject} */ ({
        name: `Next.js ${15 + i}`,
        peer,
        packages: ['next', 'react', 'react-dom'],
        service: 'next.cjs',
        modules: ['CommonJS'],
        patterns: '/items/:id, /quit',
        expected: ROUTE,
        isBuilt: true,
      }),
  ),
  {
    name: '`node:http` alone',
    peer: 'frameworks',
    packages: [],
    service: 'plain.mjs',
    modules: ALL,
    patterns: '/items/:id, /quit',
    expected: ROUTE,
  },
  {
    name: 'clients: `fetch` and undici',
    peer: 'frameworks',
    packages: ['undici'],
    service: 'client.mjs',
    modules: ALL,
    instrumentation: '@opentelemetry/instrumentation-undici',
    patterns: '/items/:id, /quit',
    expected: ['http_client_request_duration_seconds_count{', 'http_request_method="GET"'],
    perItem: 2,
  },
  {
    name: 'gRPC (`@grpc/grpc-js`)',
    peer: 'frameworks',
    packages: ['@grpc/grpc-js'],
    service: 'grpc.mjs',
    modules: ALL,
    instrumentation: '@opentelemetry/instrumentation-grpc',
    patterns: '/items/:id, /quit',
    expected: ['rpc_server_duration_milliseconds_count{', 'rpc_method="GetItem"'],
  },
];

/**
 * The packages that package.json names.
 *
 * @param {Subject} subject
 */
export function dependenciesOf({ packages, instrumentation }) {
  return [HTTP, ...(instrumentation === undefined ? [] : [instrumentation]), ...packages];
}
