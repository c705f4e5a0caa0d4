/** One error for all problems: a text that names each. */
export function joinedError(problems: readonly unknown[]): unknown {
  if (problems.length === 1) return problems[0];
  return new AggregateError(problems, problems.map(messageOf).join('; '));
}

/** The problems without those that read alike: what is wrong with one state is mostly wrong with the next one too. */
export function distinctProblems(problems: readonly unknown[]): unknown[] {
  return [...new Map(problems.map((problem) => [messageOf(problem), problem])).values()];
}

function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
