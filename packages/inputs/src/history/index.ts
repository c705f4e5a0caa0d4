export { type ImportedLog, type ImportLogOptions, importLog } from './import-log.ts';
export {
  type ImportedOtlp,
  type ImportOtlpOptions,
  importOtlp,
  type OtlpFile,
} from './import-otlp.ts';
export { recogniseOtlp } from './otlp-requests.ts';
