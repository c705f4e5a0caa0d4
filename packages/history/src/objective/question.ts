import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { type CheckedQuestion, checkedQuestion } from '../sql/question.ts';
import {
  type Division,
  type DivisionOptions,
  listStretches,
  type Stretches,
  shortestMs,
} from '../stretches.ts';

/** An objective that is judged afterwards: the share of values that should have been at most a threshold. */
export interface ObjectiveQuestion extends Pick<DivisionOptions, 'every' | 'timeZone'> {
  /** The name of the metric, as in the registry. */
  readonly metric: string;
  /** The largest good value, in the unit of the metric: 0.25 for 250 ms of a metric in seconds. At least 0. */
  readonly threshold: number;
  /** The share of values that should be good: above 0 and below 1, as in 0.999. */
  readonly objective: number;
  /** Keys of attributes: each combination of their values is judged apart, and so are series without the key. @default all together */
  readonly by?: readonly string[];
  /** Attributes that series must have, with their values. @default all series */
  readonly where?: Readonly<Record<string, string>>;
  /** UCUM code of the unit, when the history has the metric in several. @default the only one */
  readonly unit?: string;
  /** Only intervals that start at this time or later: milliseconds since 1970. */
  readonly sinceMs: number;
  /** Only intervals that start before this time: milliseconds since 1970, after `sinceMs`. */
  readonly untilMs: number;
  /**
   * The length of a period with a verdict of its own, in milliseconds: an integer of at least 1, such that there are at most 100,000.
   * It and `every` divide time as those of `queryHistory` do. The first and the last period are shorter when `sinceMs` and `untilMs` are
   * inside of one. @default `every` is a day
   */
  readonly everyMs?: number;
}

/** A checked question, with its defaults. */
export interface CheckedObjective extends CheckedQuestion {
  readonly threshold: number;
  readonly objective: number;
  readonly unit: string | undefined;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly division: Division;
  /** The periods, and more. */
  readonly stretches: Stretches;
}

const MOST_PERIODS = 100_000;

const OWNER: OptionsOwner<ObjectiveQuestion> = {
  name: 'the question',
  names: {
    metric: true,
    threshold: true,
    objective: true,
    by: true,
    where: true,
    unit: true,
    sinceMs: true,
    untilMs: true,
    everyMs: true,
    every: true,
    timeZone: true,
  },
  call: "{ metric: 'http.server.request.duration', threshold: 0.25, objective: 0.999, sinceMs, untilMs }",
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function checkedObjective(question: ObjectiveQuestion): CheckedObjective {
  assertOptions(question, OWNER);
  const { threshold, objective, unit, ...rest } = question;
  const { sinceMs, untilMs } = question;
  const isDivided = rest.everyMs !== undefined || rest.every !== undefined;
  const checked = checkedQuestion(isDivided ? rest : { ...rest, every: { days: 1 } });
  const division = checked.division!;
  if (!(typeof threshold === 'number' && threshold >= 0 && Number.isFinite(threshold))) {
    throw mustBe('ERR_INVALID_OPTION', 'threshold', 'a finite number of at least 0', threshold);
  }
  if (!(typeof objective === 'number' && objective > 0 && objective < 1)) {
    throw mustBe('ERR_INVALID_OPTION', 'objective', 'a share above 0 and below 1, as in 0.999', objective);
  }
  if (unit !== undefined && typeof unit !== 'string')
    throw mustBe('ERR_INVALID_OPTION', 'unit', 'a text', unit);
  if (sinceMs === undefined) throw mustBe('ERR_INVALID_OPTION', 'sinceMs', 'a time', sinceMs);
  if (!(untilMs > sinceMs)) {
    throw mustBe('ERR_INVALID_OPTION', 'untilMs', `a time after sinceMs, which is ${sinceMs}`, untilMs);
  }
  if ((untilMs - sinceMs) / shortestMs(division) > MOST_PERIODS) {
    const name = typeof division.every === 'number' ? 'everyMs' : 'every';
    const allowed = `so long that there are at most ${MOST_PERIODS} periods`;
    throw mustBe('ERR_INVALID_OPTION', name, allowed, division.every);
  }
  const stretches = listStretches(division, sinceMs, untilMs);
  return { ...checked, threshold, objective, unit, sinceMs, untilMs, division, stretches };
}
