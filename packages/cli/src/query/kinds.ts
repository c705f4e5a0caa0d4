import { UsageError } from '../command.ts';
import { assertApart } from '../explain/ranges.ts';
import type { Kind, Options } from './options.ts';

/** The kind that a command line asks for: a comparison with two ranges, percentiles over time with `--every`, else percentiles. */
export function kindOf({ kind, before, after, every }: Options): Kind {
  if (kind !== undefined) return kind;
  if (before !== undefined || after !== undefined) return 'comparison';
  return every === undefined ? 'percentiles' : 'over-time';
}

/** @throws UsageError for options that do not fit the kind. */
export function assertKindFits(options: Options): void {
  const { kind, before, after, by, every, since, until, confidence, failIfWorse, printSql } = options;
  const asked = kindOf(options);
  const refuse = (isGiven: boolean, name: string, why: string): void => {
    if (isGiven) throw new UsageError(`${name} ${why}`);
  };
  refuse(
    kind !== undefined && printSql === true,
    '--kind',
    'belongs to an answer: --print-sql prints a statement',
  );
  refuse(asked === 'over-time' && every === undefined, '--kind over-time', 'goes with --every');
  refuse(
    asked === 'percentiles' && every !== undefined,
    '--kind percentiles',
    'is of all time: leave --every out',
  );
  if (asked !== 'comparison') {
    const isRange = before !== undefined || after !== undefined;
    refuse(isRange, '--before and --after', 'go with --kind comparison');
    refuse(confidence !== undefined, '--confidence', 'goes with a comparison');
    refuse(failIfWorse !== undefined, '--fail-if-worse', 'goes with a comparison');
    return;
  }
  refuse(printSql === true, '--print-sql', 'has no statement for a comparison');
  refuse(every !== undefined, '--every', 'does not go with a comparison');
  refuse(options.format === 'csv', '--format csv', 'does not go with a comparison: text and json do');
  if (before === undefined && after === undefined) {
    refuse(by.length === 0, '--kind comparison', 'needs --before and --after, or --by with two groups');
    return;
  }
  refuse(before === undefined, '--after', 'needs --before: the range to compare it with');
  refuse(after === undefined, '--before', 'needs --after: the range to compare it with');
  refuse(by.length > 0, '--by', 'does not go with --before and --after: --where chooses series');
  refuse(
    since !== undefined || until !== undefined,
    '--since and --until',
    'do not go with --before and --after',
  );
  assertApart(before!, after!);
}
