import type { JWTPayload } from 'jose'

/** A service account: who signs, and with which key. */
export interface ServiceAccount {
  clientEmail: string
  /** PKCS #8 in PEM. */
  privateKey: string
  privateKeyId?: string
}

/**
 * Signs claims by the key of a service account. The library is loaded with the first call, because most workers make none.
 * Source: RFC 7519; RFC 7518, section 3.3
 */
export async function signJwt(
  { clientEmail: issuer, privateKey: pem, privateKeyId: kid }: ServiceAccount,
  claims: JWTPayload,
  issuedAt: Date,
): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose')
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) })
    .setIssuer(issuer)
    .setIssuedAt(issuedAt)
    .sign(await importPKCS8(pem, 'RS256'))
}
