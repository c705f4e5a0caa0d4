import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import {
  areEqual,
  hostnameOf,
  isBearer,
  isLoopback,
  isOfAnotherSite,
  type Refusal,
} from '@hdrscope/kit/server';

/** The answer of `PageAccess` to a request. */
export type Verdict =
  | { readonly kind: 'allowed' }
  /** The client asks again at `location`, which has no token, with this cookie. */
  | { readonly kind: 'redirected'; readonly location: string; readonly cookie: string }
  | ({ readonly kind: 'refused' } & Refusal);

const ALLOWED: Verdict = { kind: 'allowed' };

/** Decides who may see the page. A browser cannot send a header with its first request, so it gets a cookie for the token. */
export class PageAccess {
  readonly #token: string | undefined;
  readonly #allowedHosts: ReadonlySet<string>;
  /** Makes a cookie useless for other servers, and for this one after a restart. */
  readonly #secret: Buffer = randomBytes(32);

  constructor(token: string | undefined, allowedHosts: readonly string[] = []) {
    this.#token = token;
    this.#allowedHosts = new Set(allowedHosts.map(hostnameOf));
  }

  judge(request: IncomingMessage, url: URL): Verdict {
    if (isOfAnotherSite(request) && !isLink(request)) {
      return {
        kind: 'refused',
        status: 403,
        code: 'origin',
        reason: 'requests of pages of other sites are refused',
      };
    }
    return this.#token === undefined
      ? this.#judgeWithoutToken(request)
      : this.#judgeByToken(request, this.#token, url);
  }

  #judgeByToken(request: IncomingMessage, token: string, url: URL): Verdict {
    if (isBearer(request, token)) return ALLOWED;
    const { headers, method, socket } = request;
    // Servers on several ports of a host share its cookies, so the port is in the name.
    const name = `hdrscope-${socket.localPort}`;
    const wanted = this.#cookieValue(token);
    if (cookiesNamed(name, headers.cookie).some((value) => areEqual(value, wanted))) return ALLOWED;
    const given = url.searchParams.get('token');
    if (given !== null && areEqual(given, token) && (method === 'GET' || method === 'HEAD')) {
      const location = new URL(url);
      location.searchParams.delete('token');
      const secure = (socket as Partial<TLSSocket>).encrypted === true ? '; Secure' : '';
      const cookie = `${name}=${wanted}; Path=/; HttpOnly; SameSite=Strict${secure}`;
      return {
        kind: 'redirected',
        location: `.${location.pathname.replace(/^.*(?=\/)/, '')}${location.search}`,
        cookie,
      };
    }
    const reason =
      'this page needs a token: add ?token=… to the address, or send the header Authorization: Bearer …';
    return { kind: 'refused', status: 401, code: 'token', reason };
  }

  /**
   * Without a token, only this machine is let in. A page of another host whose name was made to lead here is refused too: the
   * browser sends that name as `Host`.
   */
  #judgeWithoutToken({ headers: { host }, socket: { remoteAddress } }: IncomingMessage): Verdict {
    const isHere = remoteAddress !== undefined && isLoopback(remoteAddress.replace(/^::ffff:/, ''));
    if (isHere && host !== undefined && this.#isKnown(hostnameOf(host))) return ALLOWED;
    return {
      kind: 'refused',
      status: 403,
      code: 'host',
      reason: 'this page is for its own machine only: open it there as localhost or by a loopback address',
    };
  }

  #isKnown(name: string): boolean {
    return isLoopback(name) || this.#allowedHosts.has(name);
  }

  #cookieValue(token: string): string {
    return createHash('sha256').update(this.#secret).update(token).digest('base64url');
  }
}

/**
 * Whether a browser opens an address in a window of its own, as a link of another site may ask it to. That site reads nothing of the
 * answer. Source: Fetch Metadata Request Headers, https://www.w3.org/TR/fetch-metadata/.
 */
function isLink({ method, headers }: IncomingMessage): boolean {
  const isOfScript = headers.origin !== undefined || method !== 'GET';
  return !isOfScript && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** Whether a request that changes something comes from the page itself. */
export function isFromThePage(request: IncomingMessage): boolean {
  // Programs send no origin.
  return request.headers.origin !== undefined && !isOfAnotherSite(request);
}

function cookiesNamed(name: string, header = ''): string[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}
