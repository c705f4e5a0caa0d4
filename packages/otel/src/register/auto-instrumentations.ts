/** The package with all instrumentations. */
export const AUTO_INSTRUMENTATIONS = '@opentelemetry/auto-instrumentations-node';
