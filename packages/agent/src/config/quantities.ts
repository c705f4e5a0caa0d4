const MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const SIZE = /^(\d+(?:\.\d+)?) ?(B|[kMG]B|[KMG]iB)$/;
// The longest that a timer of Node takes, which is about 24 days.
export const LONGEST_MS: number = 2 ** 31 - 1;

/** The milliseconds of `500ms`, `10s` or `1h30m`; `undefined` where it is none, is 0 or is above `LONGEST_MS`. */
export function millisecondsOf(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) total += Number(amount) * MS[unit!]!;
  return total > 0 && total <= LONGEST_MS ? total : undefined;
}

/** The bytes of `100MB` or `64KiB`; `undefined` where it is none or less than one. */
export function bytesOf(text: string): number | undefined {
  const [, amount, unit] = SIZE.exec(text) ?? [];
  if (unit === undefined) return undefined;
  const bytes = Math.round(Number(amount) * BYTES[unit]!);
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined;
}

/** Host and port of `localhost:9464`, `127.0.0.1:0` or `[::1]:9464`. */
export function addressOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}

/** Whether only this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
