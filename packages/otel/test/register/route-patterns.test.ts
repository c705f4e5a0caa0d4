import { EventEmitter } from 'node:events';
import { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import { createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { findRoute, giveRoutes, readRoutes } from '../../src/register/route-patterns.ts';

test.each<[target: string, route: string | undefined]>([
  ['/', '/'],
  ['/?a=/items/1', '/'],
  ['/items/7', '/items/:id'],
  ['/items/7/', '/items/:id'],
  ['/items/a%2Fb?fields=price', '/items/:id'],
  ['/items/new', '/items/new'],
  ['/items', undefined],
  ['/items/', undefined],
  ['/items/7/parts', undefined],
  ['/users/1/orders', '/users/:user/orders/*'],
  ['/users/1/orders/2/3', '/users/:user/orders/*'],
  ['/users/1/orders?page=2', '/users/:user/orders/*'],
  ['/users/1/ordersets', undefined],
  ['/v1.0/a+b(c)/d:e', '/v1.0/a+b(c)/d:e'],
  ['/v1x0/a+b(c)/d:e', undefined],
  ['*', undefined],
  ['http://shop.example/items/7', undefined],
])('%s has the route %s', (target, route) => {
  const text = '/, /items/new, /items/:id, /users/:user/orders/*, /v1.0/a+b(c)/d:e,';
  const { patterns, problems } = readRoutes(text);
  expect(problems).toEqual([]);
  expect(findRoute(patterns, target)).toBe(route);
});

test('without a setting there are no patterns', () => {
  expect(readRoutes(undefined)).toEqual({ patterns: [], problems: [] });
});

test.each(['items', '/a//b', '/*/a', '/a*', '/:', '/:a-b', '/a b', '/a?b=1', '/(.*)|x', 'GET /a'])(
  'the pattern %j is left out, and a problem says what is allowed',
  (pattern) => {
    const { patterns, problems } = readRoutes(`/cart, ${pattern}`);
    expect(patterns.map(({ route }) => route)).toEqual(['/cart']);
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      [
        'ERR_INVALID_OPTION',
        `pattern 2 of HDRSCOPE_ROUTES must be a path such as /items/:id or /users/*, where * comes last, got "${pattern}"`,
      ],
    ]);
  },
);

describe('giveRoutes', () => {
  const { emit } = Server.prototype;
  afterEach(() => {
    Server.prototype.emit = emit;
    Reflect.deleteProperty(SecureServer.prototype, 'emit');
  });

  /** Sends a request through a server whose instrumentation has made metadata, and returns these when the response closes. */
  function serve(url: string, given: { route?: string } | undefined, route?: string): object | undefined {
    const key = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');
    const metadata = given && { ...given };
    const active = (): typeof ROOT_CONTEXT =>
      metadata === undefined ? ROOT_CONTEXT : ROOT_CONTEXT.setValue(key, metadata);
    giveRoutes(readRoutes('/items/:id').patterns, { context: { active }, createContextKey });
    let seen: object | undefined;
    const response = new EventEmitter();
    response.on('close', () => {
      seen = metadata && { ...metadata };
    });
    const server = new Server();
    server.on('request', () => {
      if (metadata !== undefined && route !== undefined) metadata.route = route;
    });
    expect(server.emit('request', { url } as never, response as never)).toBe(true);
    response.emit('close');
    return seen;
  }

  test('a request that matches gets the route before the instrumentation reads it', () => {
    expect(serve('/items/7', {})).toEqual({ route: '/items/:id' });
  });

  test('the route of a framework stays', () => {
    expect(serve('/items/7', {}, '/items/:number')).toEqual({ route: '/items/:number' });
  });

  test('other requests get none, and those without an instrumentation pass', () => {
    expect(serve('/cart', {})).toEqual({});
    expect(serve('/items/7', undefined)).toBeUndefined();
  });

  test('servers of HTTPS have their own method', () => {
    serve('/items/7', {});
    expect(Object.hasOwn(SecureServer.prototype, 'emit')).toBe(true);
  });
});
