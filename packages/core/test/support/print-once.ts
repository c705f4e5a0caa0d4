const printed = new Set<string>();

/** Prints the reason why a test is left out, once for all tests with that reason. */
export function printOnce(line: string): void {
  if (!printed.has(line)) console.log(line);
  printed.add(line);
}
