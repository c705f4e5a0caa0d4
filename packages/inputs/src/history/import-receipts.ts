import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { isMissing, syncFolder } from '@hdrscope/kit/files';
import { hasMoved, haveOtherHosts, isSamePlace, type Place, placeText } from './import-places.ts';
import { type Prefix, PrefixHash } from './prefix-hash.ts';
import { shortHash } from './short-hash.ts';

/** The folder of the receipts in that of a history. Engines skip names that begin so. */
export const RECEIPTS = '_imports';

/** What a history knows of a log, or of a file of OTLP, that was imported: a file of JSON in `RECEIPTS`. */
export interface ImportReceipt {
  readonly version: 1;
  /** The name of its producers. */
  readonly identity: string;
  /** A hash of its first values. */
  readonly beginning: string;
  /** Where it was imported from, the first place first. */
  readonly places: readonly Place[];
  /** The attributes that were added to all series. */
  readonly attributes: Readonly<Record<string, string>>;
  /** A text that imports with equal options share. */
  readonly options: string;
  /** What was imported at each time, ascending. */
  readonly imported: readonly Prefix[];
}

/** Something that is to be imported. */
export interface ImportSource {
  /** Its name in messages. */
  readonly name: string;
  readonly folder: string;
  /** Where it is from; `undefined` when that is unknown. */
  readonly place: Place | undefined;
  readonly beginning: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly options: string;
  /** Reads it, or what a path has, from the start and without compression. */
  readonly read: (path?: string) => AsyncIterable<Uint8Array>;
}

/** What was found out about something that is to be imported. */
export interface IdentifiedImport {
  readonly receipt: ImportReceipt;
  /** Whether the history has a receipt of it. */
  readonly isKnown: boolean;
  /** What it had when it was identified. */
  readonly content: Prefix;
}

const MOST_PREFIXES = 100;

/**
 * Finds the receipt of something that is to be imported, by the bytes that were imported, or makes one. A source that begins with exactly
 * these bytes is the same, grown, if it lies at the same place or has moved from there.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when its values may be there already.
 */
export async function identifyImport(source: ImportSource): Promise<IdentifiedImport> {
  const { name, folder, place, beginning, attributes, options } = source;
  const receipts = await readReceipts(folder);
  const content = await hashContent(
    source.read(),
    receipts.flatMap(({ imported }) => imported.map(({ bytes }) => bytes)),
  );
  const related = await Promise.all(
    receipts.map(async (receipt) => ({ receipt, relation: await findRelation(receipt, source, content) })),
  );
  const { whole } = content;
  const same = related.find(({ relation }) => relation === 'same');
  if (same !== undefined)
    return { receipt: grown(same.receipt, whole, place), isKnown: true, content: whole };
  for (const relation of REFUSED) {
    const found = related.find((one) => one.relation === relation);
    if (found !== undefined) throw makeRefusal(relation, name, folder, found.receipt);
  }
  const where = place === undefined ? null : [place.host ?? place.machine, place.path];
  const identityOf = (n: number): string =>
    shortHash(JSON.stringify([beginning, where, sorted(attributes), n]));
  let n = 0;
  while (receipts.some(({ identity }) => identity === identityOf(n))) n++;
  const made = { version: 1, identity: identityOf(n), beginning, attributes, options } as const;
  const receipt = { ...made, places: place === undefined ? [] : [place], imported: [whole] };
  return { receipt, isKnown: false, content: whole };
}

/** @throws HdrscopeError `ERR_HISTORY_FILE` when what was read for the rows does not begin with what was identified. */
export function assertSame(read: PrefixHash, { content }: IdentifiedImport, name: string): void {
  if (read.startsWith(content)) return;
  throw new HdrscopeError('ERR_HISTORY_FILE', `${name} was replaced while it was read: import it again`, {
    details: { operation: 'import', path: name },
  });
}

/** Writes a receipt. @throws an error of the file system. */
export async function writeReceipt(folder: string, receipt: ImportReceipt): Promise<void> {
  const receipts = join(folder, RECEIPTS);
  const path = join(receipts, `${receipt.identity}.json`);
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  await mkdir(receipts, { recursive: true });
  await writeFile(partial, `${JSON.stringify(receipt, undefined, 2)}\n`, { flush: true });
  await rename(partial, path);
  await syncFolder({ open }, receipts);
}

async function readReceipts(folder: string): Promise<ImportReceipt[]> {
  const path = join(folder, RECEIPTS);
  const names = (await listNames(path)).filter((name) => name.endsWith('.json'));
  return Promise.all(names.map((name) => readReceipt(join(path, name))));
}

/** The names in a folder, which need not exist. */
export async function listNames(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** @throws HdrscopeError `ERR_HISTORY_FILE` */
async function readReceipt(path: string): Promise<ImportReceipt> {
  const text = await readFile(path, 'utf8');
  try {
    const receipt = JSON.parse(text) as ImportReceipt;
    if (receipt.version === 1 && receipt.imported.length > 0) return receipt;
  } catch {
    // The error is that of another content.
  }
  throw new HdrscopeError(
    'ERR_HISTORY_FILE',
    `cannot read ${path}: it must be the receipt of an import; restore it, or import into another folder`,
    { details: { operation: 'read', path } },
  );
}

/** Hashes all that can be read. */
async function hashContent(
  chunks: AsyncIterable<Uint8Array>,
  lengths: Iterable<number>,
): Promise<PrefixHash> {
  const hash = new PrefixHash(lengths);
  try {
    for await (const chunk of chunks) hash.update(chunk);
  } catch (error) {
    // A gzip stream that is cut off: its readable part is imported.
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
  }
  return hash;
}

function grown(receipt: ImportReceipt, content: Prefix, place: Place | undefined): ImportReceipt {
  const { places, imported } = receipt;
  const isNew = content.bytes > imported.at(-1)!.bytes;
  const isKnownPlace = place === undefined || places.some((one) => isSamePlace(one, place));
  return {
    ...receipt,
    places: isKnownPlace ? places : [...places, place],
    imported: isNew ? [...imported, content].slice(-MOST_PREFIXES) : imported,
  };
}

// Relations.

const REFUSED = ['options', 'elsewhere', 'shorter'] as const;
type Refused = (typeof REFUSED)[number];

/** Finds how a source relates to what a receipt says was imported. */
async function findRelation(
  receipt: ImportReceipt,
  { place, beginning, attributes, options, read }: ImportSource,
  content: PrefixHash,
): Promise<Refused | 'same' | 'other'> {
  const last = receipt.imported.at(-1)!;
  const { whole } = content;
  const isSameContent = content.startsWith(last) || receipt.imported.some(({ hash }) => hash === whole.hash);
  const mayBePart = receipt.beginning === beginning && whole.bytes < last.bytes;
  if (!isSameContent && !mayBePart) return 'other';
  if (receipt.places.some((one) => haveOtherHosts(place, one))) return 'other';
  const isThere = async (path: string): Promise<boolean> => {
    const found = await hashContent(read(path), [last.bytes]).catch(() => undefined);
    return found?.startsWith(last) === true;
  };
  const isHere = place !== undefined && (await isAt(receipt.places, place, isThere));
  const hasSameAttributes = sorted(receipt.attributes) === sorted(attributes);
  if (!isHere && !hasSameAttributes) return 'other';
  if (!isSameContent) return 'shorter';
  if (!isHere) return 'elsewhere';
  return hasSameAttributes && receipt.options === options ? 'same' : 'options';
}

/** Whether a place is one of others, or what was there has moved to it. */
async function isAt(
  places: readonly Place[],
  place: Place,
  isThere: (path: string) => Promise<boolean>,
): Promise<boolean> {
  if (places.some((one) => isSamePlace(one, place))) return true;
  for (const one of places) if (await hasMoved(one, place, isThere)) return true;
  return false;
}

function sorted(attributes: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(attributes).sort());
}

const TELL_APART = "attributes: { host: 'NAME' } tells logs of several hosts apart";

/** Why something is not imported, and what can be done. */
function makeRefusal(
  relation: Refused,
  name: string,
  folder: string,
  { places }: ImportReceipt,
): HdrscopeError {
  const [from] = places;
  const earlier = from === undefined ? 'a stream' : placeText(from);
  const texts: Record<Refused, string> = {
    options: `${name} is in ${folder} already, imported with other options; import it with the same, or into another folder`,
    elsewhere: `${name} begins with all that was imported from ${earlier}: if it is that log, import it from there; if it is another one, ${TELL_APART}`,
    shorter: `${name} begins as ${earlier} does, of which more was imported: if it is a part of that log, its values are there; if it is another one, ${TELL_APART}`,
  };
  return new HdrscopeError('ERR_ALREADY_REGISTERED', texts[relation], {
    details: { folder, reason: relation, earlier },
  });
}
