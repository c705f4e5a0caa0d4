import { mustBe } from '@hdrscope/core';

/**
 * Whose dumps are made. `'next'` has what is proposed for a release to come, and in none yet: one dimension, the unit of
 * axes, sums. All others are alike: two dimensions are what their tools can read.
 */
export type CephRelease = 'pacific' | 'quincy' | 'reef' | 'squid' | 'tentacle' | 'next';

const RELEASES: readonly CephRelease[] = ['pacific', 'quincy', 'reef', 'squid', 'tentacle', 'next'];

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertRelease(release: CephRelease): void {
  if (!RELEASES.includes(release)) {
    throw mustBe('ERR_INVALID_OPTION', 'release', `one of ${RELEASES.join(', ')}`, release);
  }
}
