/** `test`. With a reason, the tests are skipped, and the reason is printed for the report of the run. */
export function testUnless(reason: string | undefined): typeof test {
  if (reason === undefined) return test;
  console.log(`skipped: ${reason}`);
  return test.skip as typeof test;
}
