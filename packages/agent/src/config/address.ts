/** Host and port of `localhost:9464`, `127.0.0.1:0` or `[::1]:9464`. */
export function addressOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}

/** Whether only this machine can reach a server on that host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
