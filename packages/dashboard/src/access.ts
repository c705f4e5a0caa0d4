import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** The answer of `Access` to a request. */
export type Verdict =
  | { readonly kind: 'allowed' }
  /** The client asks again at `location`, which has no token, with this cookie. */
  | { readonly kind: 'redirected'; readonly location: string; readonly cookie: string }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly reason: string };

const ALLOWED: Verdict = { kind: 'allowed' };

/** Whether a name or an address leads to this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === 'localhost' || name === '::1' || name === '::ffff:127.0.0.1';
}

/** Decides who may see the page. */
export class Access {
  readonly #token: string | undefined;
  /** Makes a cookie useless for other servers, and for this one after a restart. */
  readonly #secret: Buffer = randomBytes(32);

  constructor(token: string | undefined) {
    this.#token = token;
  }

  judge(request: IncomingMessage, url: URL): Verdict {
    return this.#token === undefined ? judgeWithoutToken(request) : this.#judgeByToken(request, url);
  }

  #judgeByToken({ headers, method, socket }: IncomingMessage, url: URL): Verdict {
    const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    if (bearer !== undefined && this.#isToken(bearer)) return ALLOWED;
    // Servers on several ports of a host share its cookies, so the port is in the name.
    const name = `hdrscope-${socket.localPort}`;
    if (cookiesNamed(name, headers.cookie).some((value) => areEqual(value, this.#cookieValue())))
      return ALLOWED;
    const given = url.searchParams.get('token');
    if (given !== null && this.#isToken(given) && (method === 'GET' || method === 'HEAD')) {
      const location = new URL(url);
      location.searchParams.delete('token');
      const cookie = `${name}=${this.#cookieValue()}; Path=/; HttpOnly; SameSite=Strict`;
      return {
        kind: 'redirected',
        location: `.${location.pathname.replace(/^.*(?=\/)/, '')}${location.search}`,
        cookie,
      };
    }
    const reason =
      'this page needs a token: add ?token=… to the address, or send the header Authorization: Bearer …';
    return { kind: 'refused', status: 401, reason };
  }

  #isToken(given: string): boolean {
    return areEqual(given, this.#token!);
  }

  #cookieValue(): string {
    return createHash('sha256').update(this.#secret).update(this.#token!).digest('base64url');
  }
}

/**
 * Without a token, only this machine is let in. A page of another host whose name was made to lead here is refused too: the
 * browser sends that name as `Host`.
 */
function judgeWithoutToken({ headers, socket }: IncomingMessage): Verdict {
  const isHere =
    socket.remoteAddress !== undefined && isLoopback(socket.remoteAddress.replace(/^::ffff:/, ''));
  if (isHere && headers.host !== undefined && isLoopback(hostnameOf(headers.host))) return ALLOWED;
  return {
    kind: 'refused',
    status: 403,
    reason: 'this page is for its own machine only: open it there as localhost or by a loopback address',
  };
}

/** Whether a request that changes something comes from the page itself. */
export function isFromThePage({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}

function hostnameOf(host: string): string {
  return /^\[[^\]]*\]$|^[^:]*$/.test(host) ? host : host.replace(/:\d*$/, '');
}

function cookiesNamed(name: string, header = ''): string[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

/** Compares texts in constant time, by digests of one length. */
function areEqual(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
