import { basename, dirname, join, parse } from 'node:path';

/** A rotated log and the forms in which it exists: `app.20260102T030405Z.hlog`, or `app.20260102T030405Z_0001.hlog.gz`. */
export interface RotatedLog {
  /** Path of the plain form. */
  readonly path: string;
  readonly isPlain: boolean;
  readonly isCompressed: boolean;
  /** Whether an interrupted compression has left a file. */
  readonly isPartial: boolean;
}

/** Suffix of a compressed log. */
export const COMPRESSED = '.gz';
/** Suffix of a file that is being compressed. */
export const PARTIAL = '.gz.part';

/** Yields the names of a log that is rotated at a time, the preferred one first. Sorted names are in the order of time. */
export function* rotatedNames(path: string, timeMs: number): Generator<string, never> {
  const { dir, name, ext } = parse(path);
  const stamp = new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let counter = 0; ; counter++) {
    // "_" sorts after the "." of an extension, so names of the same second are in order too.
    const suffix = counter === 0 ? '' : `_${String(counter).padStart(4, '0')}`;
    yield join(dir, `${name}.${stamp}${suffix}${ext}`);
  }
}

/** Finds the rotated logs of a path among the names of its directory, oldest first. */
export function rotatedLogs(path: string, names: readonly string[]): RotatedLog[] {
  const { name, ext } = parse(basename(path));
  const pattern = new RegExp(
    `^(${escaped(name)}\\.(\\d{8}T\\d{6}Z)(?:_(\\d{4,}))?${escaped(ext)})(\\.gz|\\.gz\\.part)?$`,
  );
  const found = new Map<string, { order: [string, number]; forms: Set<string> }>();
  for (const [, stem = '', stamp = '', counter = '0', form = ''] of names.flatMap((one) => [
    pattern.exec(one) ?? [],
  ])) {
    if (stem === '') continue;
    const log = found.get(stem) ?? { order: [stamp, Number(counter)], forms: new Set() };
    log.forms.add(form);
    found.set(stem, log);
  }
  return [...found]
    .sort(([, { order: a }], [, { order: b }]) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1))
    .map(([stem, { forms }]) => ({
      path: join(dirname(path), stem),
      isPlain: forms.has(''),
      isCompressed: forms.has(COMPRESSED),
      isPartial: forms.has(PARTIAL),
    }));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
