import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  filledText,
  listOf,
  type OptionRule,
  optional,
  type RulesFor,
  readOptions,
} from '@hdrscope/core/internal';
import { hostnameOf, isLoopback } from './host.ts';
import type { RefusalReason } from './refusals.ts';

/** Who may use a server. */
export interface AccessOptions {
  /**
   * Requests need the header `Authorization: Bearer TOKEN`. At least 16 letters, digits and `-._~`. @default no token
   */
  readonly token?: string | undefined;
  /**
   * Names besides loopback names by which clients may call a server that listens on loopback, such as the name of a proxy on
   * this machine. @default no others
   */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** A request, as far as access depends on it. */
export interface RequestHeaders {
  readonly headers: IncomingHttpHeaders;
}

/** Why a request is refused. */
export interface Refusal {
  /** The HTTP status of the answer: 401 for a missing or wrong token, else 403. */
  readonly status: 401 | 403;
  /** The counter of `ServerRefusals` that the refusal belongs to. */
  readonly code: RefusalReason & ('token' | 'host' | 'origin');
  /** For people. */
  readonly reason: string;
}

const FEWEST_TOKEN_CHARACTERS = 16;

/**
 * Decides who may use a server. A page of another site, open in a browser on this machine, could send requests here, directly or by
 * a name of its own that leads to this address (https://en.wikipedia.org/wiki/DNS_rebinding). So requests of other sites are
 * refused, and a server on loopback answers to loopback names only, unless it has a token, which no page of others knows.
 */
export class Access {
  readonly #token: string | undefined;
  readonly #hosts: ReadonlySet<string>;
  readonly #isLocal: boolean;

  /**
   * @param host Where the server listens.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is not as stated on it. The message leaves out the token.
   */
  constructor(host: string, options: AccessOptions = {}) {
    const { token, allowedHosts = [] } = readOptions(options, { name: 'Access', rules: ACCESS_RULES });
    this.#token = token;
    this.#hosts = new Set(allowedHosts.map(hostnameOf));
    this.#isLocal = isLoopback(host);
  }

  /** Why a request is refused; `undefined` when it is not. */
  refusalOf(request: RequestHeaders): Refusal | undefined {
    if (isOfAnotherSite(request)) {
      return { status: 403, code: 'origin', reason: 'requests of pages of other sites are refused' };
    }
    if (this.#token !== undefined) {
      if (isBearer(request, this.#token)) return undefined;
      return {
        status: 401,
        code: 'token',
        reason: 'a token is needed: send the header Authorization: Bearer …',
      };
    }
    const { host } = request.headers;
    if (!this.#isLocal || (host !== undefined && this.#isKnown(hostnameOf(host)))) return undefined;
    return {
      status: 403,
      code: 'host',
      reason: 'the Host header must be localhost, a loopback address or one of the allowed hosts',
    };
  }

  #isKnown(name: string): boolean {
    return isLoopback(name) || this.#hosts.has(name);
  }
}

const secretToken: OptionRule<string> = {
  allowed: `at least ${FEWEST_TOKEN_CHARACTERS} letters, digits and -._~`,
  accepts: (token): token is string =>
    typeof token === 'string' && token.length >= FEWEST_TOKEN_CHARACTERS && /^[\w.~-]+$/.test(token),
  isSecret: true,
};

/**
 * Refuses tokens that are easy to guess or that a header cannot hold.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a token is short or has other characters. The message leaves it out.
 */
export function assertToken(token: string | undefined): void {
  readOptions({ token }, { name: 'Access', rules: ACCESS_RULES });
}

/** The rules of `AccessOptions`. */
export const ACCESS_RULES: RulesFor<AccessOptions, keyof AccessOptions> = {
  token: optional(secretToken),
  allowedHosts: optional(listOf(filledText(), 'names of hosts')),
};

/** Whether a request has this token in its `Authorization` header. */
export function isBearer({ headers }: RequestHeaders, token: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return given !== undefined && areEqual(given, token);
}

/** Compares texts in constant time, by digests of one length. */
export function areEqual(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** Whether a browser sends a request for a page of another site. Programs send none of these headers. */
export function isOfAnotherSite({ headers }: RequestHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  if (origin === undefined) return false;
  return host === undefined || !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase();
}
