/** One thing that the doctor looked at. */
export interface Finding {
  /** What was looked at: `bpf(2)`, `BTF of the kernel`. */
  readonly what: string;
  /** Whether it is as everything of this package needs it. */
  readonly ok: boolean;
  /** What was seen. */
  readonly detail: string;
  /** What helps, or what can be done without it; `undefined` where nothing is missing. */
  readonly cure: string | undefined;
}

export function good(what: string, detail: string): Finding {
  return { what, ok: true, detail, cure: undefined };
}

export function bad(what: string, detail: string, cure: string): Finding {
  return { what, ok: false, detail, cure };
}

/** The first line of what was thrown. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0]!;
}
