export { type ImportedLog, importLog } from './import-log.ts';
export { type ImportedOtlp, importOtlp, type OtlpFile } from './import-otlp.ts';
export { recogniseOtlp } from './otlp-requests.ts';
