/** Where everybody reads the keys of an issuer. @param did with no character that a path would have to escape */
export const issuerKeysAddress = (baseUrl: string, did: string): string => `${baseUrl}/v1/dpp/issuers/${did}/keys`
