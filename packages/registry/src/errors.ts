/** Codes of what a registry refuses, besides those of core. */
export type RegistryErrorCode = 'ERR_ALREADY_REGISTERED';
