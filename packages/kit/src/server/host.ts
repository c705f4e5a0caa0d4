import { isIP } from 'node:net';

/** Whether a name or an address leads to this machine only. */
export function isLoopback(host: string): boolean {
  const name = withoutBrackets(host).toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === 'localhost' || name === '::1' || name === '::ffff:127.0.0.1';
}

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
