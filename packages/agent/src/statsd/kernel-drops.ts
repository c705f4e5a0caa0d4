import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';

/**
 * How many packets the kernel has dropped at a UDP socket of this network namespace since it was opened, because its buffer was full. `undefined` where the kernel does not
 * say: not on Linux, or when several sockets share the address.
 * Source: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html, and `net/ipv4/udp.c`, `udp4_format_sock`
 *
 * @param address An address and no name.
 */
export async function readKernelDrops(address: string, port: number): Promise<number | undefined> {
  const file = address.includes(':') ? '/proc/net/udp6' : '/proc/net/udp';
  const table = await readFile(file, 'latin1').catch(() => '');
  return findDrops(table, address, port);
}

/** The last column of the socket in the table of the kernel. */
export function findDrops(table: string, address: string, port: number): number | undefined {
  const local = `${formatKernelAddress(readAddress(address))}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1] === local);
  const drops = Number(rows[0]?.at(-1));
  return rows.length === 1 && Number.isSafeInteger(drops) ? drops : undefined;
}

/** The kernel prints words of four bytes as numbers of the machine. */
function formatKernelAddress(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const word = endianness() === 'LE' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    text += word.toString(16).toUpperCase().padStart(8, '0');
  }
  return text;
}

/** The 4 or 16 bytes of an address, such as `127.0.0.1`, `::1` or `fe80::1%eth0`. */
export function readAddress(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  // An address of IPv4 may be the end.
  const [withoutZone = ''] = address.split('%');
  const plain = withoutZone.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...parts) =>
    [0, 2].map((at) => (Number(parts[at]) * 256 + Number(parts[at + 1])).toString(16)).join(':'),
  );
  const [before, after] = plain.split('::').map((part) => part.split(':').filter((word) => word !== ''));
  const zeros = after === undefined ? [] : new Array<string>(8 - before!.length - after.length).fill('0');
  const words = [...before!, ...zeros, ...(after ?? [])];
  return Buffer.from(
    words.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]),
  );
}
