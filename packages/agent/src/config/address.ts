/** Host and port of `localhost:9464`, `127.0.0.1:0` or `[::1]:9464`. */
export function addressOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}
