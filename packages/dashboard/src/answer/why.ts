import type { AttributeSide, ChangeExplanation, ExplainedCause } from '@hdrscope/explain';
import {
  describeExplanation,
  describeKind,
  explainInSteps,
  formatCounts,
  formatNames,
  formatPart,
  formatSide,
  isNamed,
  layoutSlots,
} from '@hdrscope/explain/internal';
import { percentileName, Slices } from '@hdrscope/kit';
import { countedUnitOf, formatValue } from '@hdrscope/plot';
import { explanationWaterfall } from '@hdrscope/plot/internal';
import { timeOf } from '../history/coarsening.ts';
import type { FamilyDefinition, HistorySeries } from '../history/history.ts';
import type { WhyCause, WhyMessage } from '../messages.ts';
import { type Question, WHY_PERCENTILES } from '../question.ts';
import type { ComparedTimes } from './baseline.ts';
import { sumChanges } from './series-changes.ts';

// The others have less to do with the change.
const MOST_CAUSES = 10;

/** What is explained: a family, and its series that the question asks for. */
export interface ExplainedFamily {
  readonly family: FamilyDefinition;
  readonly series: readonly HistorySeries[];
}

/** Explains why a percentile moved between two times. Where the reader has chosen no percentile, it is the highest one that has moved. */
export async function explainTimes(
  question: Question,
  { family, series }: ExplainedFamily,
  times: ComparedTimes,
): Promise<Omit<WhyMessage, 'question'>> {
  const { before, after, isShortened } = times;
  const shown = { metric: family.name, before: timeOf(before), after: timeOf(after), isShortened };
  if (before.length === 0 || after.length === 0) {
    const text =
      after.length === 0 && question.range !== undefined
        ? 'The page remembers nothing of the chosen time.'
        : 'The page remembers no time before, so it cannot say what changed.';
    return { ...shown, ...NOTHING, verdict: 'too few values', summary: text, text };
  }
  const slices = new Slices();
  const { series: changes, together } = await sumChanges(family, series, times, slices);
  const slots = layoutSlots(family.layout, family.resolution);
  const asked = question.why === undefined ? WHY_PERCENTILES : [question.why];
  const answers: ChangeExplanation[] = [];
  for (const percentile of asked) {
    const steps = explainInSteps(changes, { percentile, slots });
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) await slices.next();
    answers.push(step.value);
    if (step.value.verdict === 'explained') break;
  }
  return { ...shown, ...describeAnswers(answers, family), together };
}

const NOTHING = { percentile: null, causes: [], together: 0 } as const;

type Described = Pick<WhyMessage, 'percentile' | 'verdict' | 'summary' | 'text' | 'causes' | 'waterfall'>;

/** @param answers At least one, from the highest percentile to the lowest. */
function describeAnswers(answers: readonly ChangeExplanation[], family: FamilyDefinition): Described {
  const hasMoved = ({ verdict }: ChangeExplanation): boolean =>
    verdict === 'nothing explains it' || verdict === 'undecided';
  const found = answers.find(({ verdict }) => verdict === 'explained') ?? answers.find(hasMoved);
  if (found !== undefined) return describeFound(found, family);
  const namesOf = (wanted: ChangeExplanation['verdict']): string[] =>
    answers.filter(({ verdict }) => verdict === wanted).map(({ percentile }) => percentileName(percentile));
  const [same, few] = [namesOf('no difference shown'), namesOf('too few values')];
  const { before, after } = answers[0]!;
  const counts = formatCounts(before, after);
  const summary =
    same.length === 0
      ? `Too few values to say whether ${family.name} changed: ${counts}.`
      : `No change of ${family.name} is shown.`;
  const judged = same.length === 0 ? [] : [`No difference of ${listNames(same)} is shown (${counts}).`];
  const unjudged =
    few.length === 0
      ? []
      : [`For ${listNames(few)} there are too few values${same.length === 0 ? `: ${counts}` : ''}.`];
  return {
    ...NOTHING,
    verdict: same.length === 0 ? 'too few values' : 'no difference shown',
    summary,
    text: [...judged, ...unjudged].join(' '),
  };
}

function listNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function describeFound(found: ChangeExplanation, family: FamilyDefinition): Described {
  const unit = countedUnitOf(family);
  const value = (one: number): string => formatValue(one, unit);
  const { percentile, before, after, verdict, isWide, causes } = found;
  const name = percentileName(percentile);
  const [from, to] = [before, after].map((side) =>
    formatSide({ ...side, value: side.percentile?.value }, value),
  );
  const described = causes.slice(0, MOST_CAUSES).map((cause) => describeCause(cause, isWide, value));
  const first = verdict === 'explained' ? causes.find(isNamed) : undefined;
  const cause =
    first === undefined
      ? verdict === 'undecided'
        ? 'Wide buckets hide what explains it.'
        : 'No attribute value explains it.'
      : `${formatNames(first, ' or ')} explains ${partText(first, isWide)}.`;
  const waterfall = explanationWaterfall(found, { metric: family.name, unit, convert: (one) => one });
  return {
    percentile,
    verdict,
    summary: `${name} of ${family.name}: ${from} → ${to}. ${cause}`,
    text: describeExplanation(found, value, ''),
    causes: described,
    ...(waterfall && { waterfall }),
  };
}

function describeCause(cause: ExplainedCause, isWide: boolean, value: (value: number) => string): WhyCause {
  const side = (one: AttributeSide): string => (one.count === 0 ? 'no values' : formatSide(one, value));
  return {
    names: formatNames(cause, ' or '),
    isNamed: isNamed(cause),
    ...{ before: side(cause.before), after: side(cause.after) },
    part: formatPart(cause.explains, isWide),
    kind: describeKind(cause),
    verdict: cause.verdict,
  };
}

function partText({ explains }: ExplainedCause, isWide: boolean): string {
  const part = formatPart(explains, isWide);
  return part.startsWith('≥ ') ? `at least ${part.slice(2)} of it` : `${part} of it`;
}
