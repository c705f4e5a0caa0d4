import { mustBe } from '@hdrscope/core/internal';

/**
 * The release of Ceph whose dumps are written. `'next'` is a proposal for a future release: it allows one dimension and
 * explicit axes, and adds units and sums. The other releases have equal dumps; their tools read two dimensions only.
 */
export type CephRelease = 'pacific' | 'quincy' | 'reef' | 'squid' | 'tentacle' | 'next';

/** All values of `CephRelease`, oldest first. */
export const CEPH_RELEASES: readonly CephRelease[] = [
  'pacific',
  'quincy',
  'reef',
  'squid',
  'tentacle',
  'next',
];

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertRelease(release: CephRelease): void {
  if (!CEPH_RELEASES.includes(release)) {
    throw mustBe('ERR_INVALID_OPTION', 'release', `one of ${CEPH_RELEASES.join(', ')}`, release);
  }
}
