import { describeUnless, findProgram, lackOfProgram } from '@hdrscope/testing';
import { type Browser, chromium } from 'playwright-core';

// As Debian's package calls it. Nothing is downloaded.
const PROGRAM = 'chromium';

/** `describe` for tests that need a browser. */
export const describeWithChromium = describeUnless(lackOfProgram(PROGRAM));

/** Starts a browser without windows. The caller closes it. */
export function startChromium(): Promise<Browser> {
  // The sandbox needs privileges that containers lack. The browser opens only pages of the tests.
  return chromium.launch({ executablePath: findProgram(PROGRAM)!, args: ['--no-sandbox'], timeout: 60_000 });
}
