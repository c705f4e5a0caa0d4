import { isIP } from 'node:net';

/** Whether a name or an address leads to this machine only, in whatever form an address is written. */
export function isLoopback(host: string): boolean {
  const name = withoutBrackets(host).toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  if (isIP(name) !== 6 || !URL.canParse(`http://[${name}]`)) return name === 'localhost';
  // In a URL, `0:0:0:0:0:0:0:1` is `[::1]`, and `::ffff:127.0.0.1` is `[::ffff:7f00:1]`.
  const { hostname } = new URL(`http://[${name}]`);
  return hostname === '[::1]' || LOOPBACK_OF_IPV4.test(hostname);
}

const LOOPBACK_OF_IPV4 = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;

/** The name or address in a `Host` header, without its port. */
export function hostnameOf(header: string): string {
  const [, inBrackets, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header.trim()) ?? [];
  return (inBrackets ?? plain ?? header).toLowerCase();
}

/** An address as `listen` takes it: `[::1]` is `::1`. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** A name or an address as it stands in a URL: `::1` is `[::1]`. */
export function inUrl(host: string): string {
  const plain = withoutBrackets(host);
  return plain.includes(':') ? `[${plain}]` : plain;
}
