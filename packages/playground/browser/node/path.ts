/** The part of `node:path` that commands on files use. Names of dropped files have no folders, and no separators but `/`. */

export function basename(path: string, ending = ''): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return ending !== '' && name !== ending && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
}

export function dirname(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? '.' : path.slice(0, end) || '/';
}

export function extname(path: string): string {
  const name = basename(path);
  const at = name.lastIndexOf('.');
  return at <= 0 ? '' : name.slice(at);
}

export function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('/');
}
