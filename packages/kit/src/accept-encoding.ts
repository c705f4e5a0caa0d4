/**
 * Whether to compress a body with gzip: the header must accept gzip, and not prefer `identity`.
 * https://www.rfc-editor.org/rfc/rfc9110#field.accept-encoding
 */
export function wantsGzip(header: string | undefined): boolean {
  const qualities = new Map<string, number>();
  for (const part of header?.toLowerCase().split(',') ?? []) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    qualities.set(coding === 'x-gzip' ? 'gzip' : coding, qualityOf(parameters));
  }
  const gzip = qualities.get('gzip') ?? qualities.get('*') ?? 0;
  return gzip > 0 && gzip >= (qualities.get('identity') ?? 0);
}

function qualityOf(parameters: readonly string[]): number {
  const parameter = parameters.find((text) => /^q\s*=/.test(text));
  if (parameter === undefined) return 1;
  const quality = Number(parameter.slice(parameter.indexOf('=') + 1));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
