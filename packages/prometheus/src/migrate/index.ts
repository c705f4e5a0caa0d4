export { askTypes, proveRewriting } from './ask-claims.ts';
export { proveOnGenerated, readsFarBack } from './generated/prove-generated.ts';
export { migrateQueries } from './migrate-queries.ts';
