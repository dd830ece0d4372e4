/** Returns the public address of an issuer's keys. @param did a DID without characters that a path must escape */
export const getIssuerKeysAddress = (baseUrl: string, did: string): string => `${baseUrl}/v1/dpp/issuers/${did}/keys`
