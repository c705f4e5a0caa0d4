import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// The path in Debian's package. Nothing is downloaded.
const PROGRAM = '/usr/bin/chromium';

const isInstalled = existsSync(PROGRAM);

const required = (process.env.HDRSCOPE_REQUIRE_PEERS ?? '').split(/[\s,]+/);
const isRequired = required.includes('1') || required.includes('chromium');

const REASON = `chromium is not installed: there is no ${PROGRAM}`;

/**
 * `describe` for tests that need a browser. Without one, the tests are skipped and the reason is printed; they fail where
 * `HDRSCOPE_REQUIRE_PEERS` requires `chromium`.
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

/** Starts a browser without windows. The caller closes it. */
export function startChromium(): Promise<Browser> {
  // The sandbox needs privileges that containers lack. The browser opens only pages of the tests.
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'], timeout: 60_000 });
}
