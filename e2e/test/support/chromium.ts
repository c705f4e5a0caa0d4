import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// Where Debian's package has it. Nothing is downloaded.
const PROGRAM = '/usr/bin/chromium';

const isInstalled = existsSync(PROGRAM);

const required = (process.env.HDRSCOPE_REQUIRE_PEERS ?? '').split(/[\s,]+/);
const isRequired = required.includes('1') || required.includes('chromium');

const REASON = `chromium is not installed: there is no ${PROGRAM}`;

/**
 * `describe` for tests that need a browser. Without one they are skipped, with a printed reason, unless
 * `HDRSCOPE_REQUIRE_PEERS` says that `chromium` must be there: then they fail.
 */
export function describeWithChromium(title: string, tests: () => void): void {
  if (isInstalled) {
    describe(title, tests);
  } else if (isRequired) {
    describe(title, () => {
      test('has the browser that is required', () => {
        throw new Error(REASON);
      });
    });
  } else {
    console.log(`skipped: ${REASON}`);
    describe.skip(title, tests);
  }
}

/** A browser without windows. Who starts it closes it. */
export function startChromium(): Promise<Browser> {
  // Its sandbox needs privileges that containers lack; it opens nothing but what the tests made.
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'], timeout: 60_000 });
}
