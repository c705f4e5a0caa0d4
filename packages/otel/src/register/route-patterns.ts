import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import type { ContextAPI, createContextKey } from '@opentelemetry/api';
import { namesIn } from '../environment.ts';

/** A pattern of `HDRSCOPE_ROUTES`, such as `/items/:id`. */
interface RoutePattern {
  /** The value of `http.route`. */
  readonly route: string;
  /** Matches the target of a request, with its query. */
  readonly target: RegExp;
}

/** The patterns of `HDRSCOPE_ROUTES`, and the problems of those that are left out. */
export interface RoutePatterns {
  readonly patterns: readonly RoutePattern[];
  readonly problems: readonly HdrscopeError[];
}

/** The members of `@opentelemetry/api` that find the metadata of a request. */
export interface ContextApi {
  readonly context: Pick<ContextAPI, 'active'>;
  readonly createContextKey: typeof createContextKey;
}

/** `RPCMetadata` of `@opentelemetry/core`: the HTTP instrumentation takes the route of its metrics from it. */
interface RpcMetadata {
  route?: string | undefined;
}

const ALLOWED = 'a path such as /items/:id or /users/*, where * comes last';
const PARAMETER = /^:[A-Za-z_]\w*$/;
/** Characters of a path that need no encoding, and `%` of those that do. The comma separates patterns. */
const LITERAL = /^[\w.~!$&'()+;=@%-][\w.~!$&'()+;=@%:-]*$/;

/** Reads `HDRSCOPE_ROUTES`. A wrong pattern is left out, and the others hold. */
export function readRoutes(text = ''): RoutePatterns {
  const patterns: RoutePattern[] = [];
  const problems: HdrscopeError[] = [];
  for (const [i, route] of namesIn(text).entries()) {
    const target = compilePattern(route);
    if (target !== undefined) patterns.push({ route, target });
    else problems.push(mustBe('ERR_INVALID_OPTION', `pattern ${i + 1} of HDRSCOPE_ROUTES`, ALLOWED, route));
  }
  return { patterns, problems };
}

/** The first pattern that matches the target of a request; a slash at the end makes no difference. */
export function findRoute(patterns: readonly RoutePattern[], target: string): string | undefined {
  return patterns.find((pattern) => pattern.target.test(target))?.route;
}

function compilePattern(pattern: string): RegExp | undefined {
  if (!pattern.startsWith('/')) return undefined;
  const segments = pattern.replace(/\/$/, '').split('/').slice(1);
  const hasRest = segments.at(-1) === '*';
  if (hasRest) segments.pop();
  let source = '';
  for (const segment of segments) {
    if (PARAMETER.test(segment)) source += '/[^/?#]+';
    else if (LITERAL.test(segment)) source += `/${segment.replace(/[.$()+]/g, '\\$&')}`;
    else return undefined;
  }
  return new RegExp(`^${source}${hasRest ? '(?:[/?#].*)?' : '/?(?:[?#].*)?'}$`, 's');
}

/**
 * Gives the routes of patterns to requests for which no framework has given one. It must run before instrumentations start: they
 * wrap the same method, and make the metadata of a request before they call this one.
 */
export function giveRoutes(
  patterns: readonly RoutePattern[],
  { context, createContextKey }: ContextApi,
): void {
  const key = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');
  const prepare = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    const metadata = context.active().getValue(key) as RpcMetadata | undefined;
    if (metadata === undefined) return;
    // The instrumentation reads the route when the response closes.
    response.prependListener('close', () => {
      metadata.route ??= findRoute(patterns, url);
    });
  };
  const load = createRequire(import.meta.url);
  type ServerModule = { readonly Server: { readonly prototype: EventEmitter } };
  for (const { Server } of [load('node:http'), load('node:https')] as ServerModule[]) {
    const { prototype } = Server;
    const { emit } = prototype;
    prototype.emit = function (event: string, ...args: unknown[]) {
      if (event === 'request') prepare(args[0] as IncomingMessage, args[1] as ServerResponse);
      return emit.call(this, event, ...args);
    };
  }
}
