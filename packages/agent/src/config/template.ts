import { SINKS } from '../sinks/index.ts';
import { SOURCES } from '../sources/index.ts';

/** The configuration that `hdrscope config init` writes. It runs as it is, on any machine. */
export const CONFIG_TEMPLATE: string = `# hdrscope run hdrscope.yaml
#
# Sources bring histograms, sinks hand them on; whatever comes is added up in one place between them.
# "hdrscope config check" reports what is wrong in this file, "hdrscope config schema" what may be in it.
# \${NAME} and \${NAME:-default} stand for environment variables, here and in every text.

# How long a stop may take.
shutdownTimeout: 10s

sources:
${formatExamples(SOURCES, 'stdin')}
sinks:
${formatExamples(SINKS, 'prometheus')}`;

/** The examples of all types. One that runs on any machine is active, and all others are comments. */
function formatExamples(parts: ReadonlyMap<string, { readonly example: string }>, active: string): string {
  return [...parts]
    .map(([type, { example }]) => {
      const lines = example.trim().split('\n');
      const isShown = (line: string): boolean => line === '' || line.startsWith('#') || type === active;
      return lines.map((line) => `${isShown(line) ? '  ' : '  # '}${line}`.trimEnd()).join('\n');
    })
    .join('\n\n')
    .concat('\n');
}
