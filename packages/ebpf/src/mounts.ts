/** A mounted file system. */
export interface Mount {
  /** Where it is mounted. */
  readonly path: string;
  /** Its type, such as `bpf` or `cgroup2`. */
  readonly type: string;
}

/** Parses `/proc/self/mountinfo`. Source: proc(5). */
export function mountsIn(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const path = before.split(' ')[4];
    const [type = ''] = after.split(' ');
    return path === undefined || type === '' ? [] : [{ path: withoutEscapes(path), type }];
  });
}

/** Blanks and some other characters are octal numbers. */
function withoutEscapes(path: string): string {
  return path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
