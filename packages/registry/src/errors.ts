/** The codes that this package throws in addition to those of core. */
export type RegistryErrorCode = 'ERR_ALREADY_REGISTERED';
