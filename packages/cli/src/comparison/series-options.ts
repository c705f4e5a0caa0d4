import { LEAST_STATE } from '@hdrscope/core/internal';
import { defineOptions } from '../define-command.ts';
import { integer, percentilesOption } from '../options.ts';
import { GATE } from './index.ts';

/** Options of a search for changes between builds. */
export const SERIES = defineOptions({
  last: {
    value: '<n>',
    help: 'with --builds: takes the newest builds only',
    parse: integer(1),
    fallback: 'all',
  },
  failIfWorse: {
    ...GATE.failIfWorse,
    help: 'with --builds: how much a percentile may grow, as in 5%: the exit code is 1 if one has since its last change, and 3 if that cannot be judged',
  },
  percentiles: { ...percentilesOption('with --builds: '), default: undefined },
});

/** Explains a search for changes, for the help. */
export const CHANGES = `Each build is one observation: the percentiles of its runs. A change is a step between states of at least ${LEAST_STATE}
builds that random orders of the builds seldom have: with equal builds, one of 100 series has one at a --confidence
of 99 %, whatever the noise between builds is. Its size is the difference of both states, with the verdicts of hdrscope
diff. A build that stands alone is named, and is no change.

With --fail-if-worse, the exit code is 1 when a percentile is worse since its last change, 3 when that cannot be judged,
as with fewer than 12 builds, or a newest build that is slow alone, and 0 otherwise.`;
