/** One error for all problems, whose message names each of them; a single problem is returned as it is. */
export function joinedError(problems: readonly unknown[]): unknown {
  if (problems.length === 1) return problems[0];
  return new AggregateError(problems, problems.map(messageOf).join('; '));
}

/** The problems without repeated messages: the problem of one state is mostly the problem of the next one too. */
export function distinctProblems(problems: readonly unknown[]): unknown[] {
  return [...new Map(problems.map((problem) => [messageOf(problem), problem])).values()];
}

function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
