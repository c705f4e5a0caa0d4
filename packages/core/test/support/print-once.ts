const printed = new Set<string>();

/** Says why something is left out: once, though it may be left out many times. */
export function printOnce(line: string): void {
  if (!printed.has(line)) console.log(line);
  printed.add(line);
}
