/** Result of one check of the doctor. */
export interface Finding {
  /** Subject of the check, such as `bpf(2)` or `BTF of the kernel`. */
  readonly what: string;
  /** Whether everything in this package works with it. */
  readonly ok: boolean;
  /** Result of the check. */
  readonly detail: string;
  /** Cure of the problem, or what works in spite of it; `undefined` when `ok`. */
  readonly cure: string | undefined;
}

/** A finding without a problem. */
export function good(what: string, detail: string): Finding {
  return { what, ok: true, detail, cure: undefined };
}

/** A finding with a problem and its cure. */
export function bad(what: string, detail: string, cure: string): Finding {
  return { what, ok: false, detail, cure };
}

/** The first line of the message of an error. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0]!;
}
