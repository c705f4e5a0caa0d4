import { assertOptions, mustBe, number, type OptionsOwner, object } from '@hdrscope/core/internal';
import type { ExplainLimits } from '@hdrscope/explain/internal';
import { assertPercentile } from '../rows/percentiles.ts';
import { type CheckedQuestion, checkedQuestion } from '../sql/question.ts';

/** A range of time: the intervals that start in it. */
export interface TimeRange {
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  /** Milliseconds since 1970, after `sinceMs`, and not in the range. */
  readonly untilMs: number;
}

/** Which percentile is to be explained. */
export interface ExplainQuestion extends ExplainLimits {
  /** The name of the metric, as in the registry. */
  readonly metric: string;
  /** From 0 to 100. @default 99.9 */
  readonly percentile?: number;
  /** What was usual. */
  readonly before: TimeRange;
  /** What is to be explained. It must not overlap with `before`, and may be earlier. */
  readonly after: TimeRange;
  /** Attributes that series must have, with their values. @default all series */
  readonly where?: Readonly<Record<string, string>>;
}

/** A checked question, with its defaults. Its span covers both ranges. */
export interface CheckedExplain extends Required<ExplainLimits> {
  readonly percentile: number;
  readonly before: TimeRange;
  readonly after: TimeRange;
  readonly span: CheckedQuestion & TimeRange;
}

const OWNER: OptionsOwner<ExplainQuestion> = {
  name: 'the question',
  names: {
    metric: true,
    percentile: true,
    before: true,
    after: true,
    where: true,
    confidence: true,
    minChange: true,
    minShare: true,
  },
  call: "{ metric: 'http.server.request.duration', before: { sinceMs, untilMs }, after: { sinceMs, untilMs } }",
};

const RANGE: OptionsOwner<TimeRange> = {
  name: 'a range',
  names: { sinceMs: number(), untilMs: number() },
  call: '{ sinceMs, untilMs }',
};

/** @throws HdrscopeError `ERR_INVALID_OPTION`, `ERR_INVALID_VALUE` */
export function checkedExplain(
  question: ExplainQuestion,
  checkedLimits: (limits: ExplainLimits) => Required<ExplainLimits>,
): CheckedExplain {
  assertOptions(question, OWNER);
  const { metric, where = {}, percentile = 99.9, before, after } = question;
  assertPercentile(percentile);
  const limits = checkedLimits(question);
  assertRange('before', before);
  assertRange('after', after);
  if (before.sinceMs < after.untilMs && after.sinceMs < before.untilMs) {
    const allowed = 'a range from sinceMs to untilMs that does not overlap with before';
    throw mustBe('ERR_INVALID_OPTION', 'after', allowed, `${after.sinceMs} to ${after.untilMs}`);
  }
  const sinceMs = Math.min(before.sinceMs, after.sinceMs);
  const untilMs = Math.max(before.untilMs, after.untilMs);
  const span = { ...checkedQuestion({ metric, where, sinceMs, untilMs }), sinceMs, untilMs };
  return { ...limits, percentile, before, after, span };
}

function assertRange(name: string, range: TimeRange): void {
  if (!object().accepts(range)) {
    throw mustBe('ERR_INVALID_OPTION', name, 'a range: { sinceMs, untilMs }', range);
  }
  assertOptions(range, RANGE, `${name}.`);
  const { sinceMs, untilMs } = range;
  if (!(Number.isFinite(sinceMs) && Number.isFinite(untilMs) && untilMs > sinceMs)) {
    const allowed = 'a range whose untilMs is after its sinceMs';
    throw mustBe('ERR_INVALID_OPTION', name, allowed, `${sinceMs} to ${untilMs}`);
  }
}
