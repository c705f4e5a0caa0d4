import { basename, dirname, join, parse } from 'node:path';

/** A log that was rotated: `app.20260102T030405Z.hlog`, or `app.20260102T030405Z_0001.hlog.gz`. */
export interface RotatedLog {
  /** Its path, without what says that it is compressed. */
  readonly path: string;
  /** As they lie on the disk. */
  readonly isPlain: boolean;
  readonly isCompressed: boolean;
  /** Whether a compression has been interrupted. */
  readonly isPartial: boolean;
}

export const COMPRESSED = '.gz';
/** What is being compressed. */
export const PARTIAL = '.gz.part';

/** The names for a log that is rotated at a time, best first. Their order is that of time. */
export function* rotatedNames(path: string, timeMs: number): Generator<string, never> {
  const { dir, name, ext } = parse(path);
  const stamp = new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let counter = 0; ; counter++) {
    // "_" sorts after the "." of an extension, so those of one second are in order, too.
    const suffix = counter === 0 ? '' : `_${String(counter).padStart(4, '0')}`;
    yield join(dir, `${name}.${stamp}${suffix}${ext}`);
  }
}

/** The rotated logs of a path among the names of its directory, oldest first. */
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
