import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import type { CredentialFacts } from './credentials.store.ts'
import type { NewWalletCredentials } from './credentials.schema.ts'

/** Credentials that were checked: what may be shown of them, and their private part. */
export interface CheckedCredentials<Secret> {
  facts: CredentialFacts
  secret: Secret
}

/** The private part of credentials of Apple Wallet. */
export interface AppleSecret {
  /** As PEM: that of the pass type, then those of its issuers. */
  certificates: string[]
  /** As PEM, PKCS #8. */
  privateKey: string
}

/** The private part of credentials of Google Wallet. */
export interface GoogleSecret {
  clientEmail: string
  /** As PEM, PKCS #8. */
  privateKey: string
  privateKeyId?: string
}

const pemPattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The most certificates: that of the pass type and those of its issuers. */
const maxCertificates = 4

const refuse = (path: string, code: string, message: string): never => {
  throw createValidationProblem([{ path, code, message } satisfies Issue])
}

/** The names that the settings of an application give. */
export interface AppleNames {
  passTypeIdentifier: string
  teamIdentifier: string
}

/**
 * Checks a certificate of a pass type and its key.
 * Source: Apple, "Create Wallet identifiers and certificates": the subject has the pass type as UID and the team as OU.
 * @param names what the application names, if it does
 * @throws VALIDATION_FAILED at the path of what is wrong
 */
export function checkAppleCredentials(
  { certificate, privateKey, serviceAccount }: NewWalletCredentials,
  names: AppleNames | undefined,
  now: Date,
): CheckedCredentials<AppleSecret> {
  if (serviceAccount !== undefined) refuse('serviceAccount', 'unknown_member', 'is for Google Wallet')
  if (certificate === undefined) return refuse('certificate', 'required', 'is required')
  if (privateKey === undefined) return refuse('privateKey', 'required', 'is required')
  const [own, ...issuers] = parseCertificates(certificate)
  const key = parseKey(privateKey, 'privateKey')
  if (!own) return refuse('certificate', 'invalid', 'is no certificate in PEM')
  if (!own.checkPrivateKey(key)) refuse('privateKey', 'mismatch', 'is not the key of the certificate')
  const found = readNames(own)
  if (!found)
    return refuse('certificate', 'invalid', 'is not that of a pass type: UID and OU of its subject are missing')
  if (names && found.passTypeIdentifier !== names.passTypeIdentifier)
    refuse(
      'certificate',
      'mismatch',
      `is for ${found.passTypeIdentifier}; the application names ${names.passTypeIdentifier}`,
    )
  if (names && found.teamIdentifier !== names.teamIdentifier)
    refuse(
      'certificate',
      'mismatch',
      `is of team ${found.teamIdentifier}; the application names ${names.teamIdentifier}`,
    )
  if (new Date(own.validTo) <= now) refuse('certificate', 'expired', `ended on ${new Date(own.validTo).toISOString()}`)
  if (new Date(own.validFrom) > now)
    refuse('certificate', 'not_yet_valid', `begins on ${new Date(own.validFrom).toISOString()}`)
  return {
    facts: { ...found, expiresAt: new Date(own.validTo).toISOString() },
    secret: { certificates: [own, ...issuers].map(String), privateKey: exportKey(key) },
  }
}

function parseCertificates(text: string): X509Certificate[] {
  const blocks = text.match(pemPattern) ?? []
  if (blocks.length > maxCertificates)
    return refuse('certificate', 'too_many', `has more than ${maxCertificates} certificates`)
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    // What is wrong with the bytes helps nobody who has the right file.
    return refuse('certificate', 'invalid', 'cannot be read as a certificate in PEM')
  }
}

const exportKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** The fewest bits of an RSA key. Source: NIST SP 800-131A. */
const minRsaBits = 2_048

function parseKey(pem: string, path: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    // The library's words are about its decoder, and the key may not be quoted.
    return refuse(path, 'invalid', 'is no private key in PEM without a password')
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= minRsaBits) return key
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return key
  return refuse(path, 'invalid', `is no RSA key of at least ${minRsaBits} bits`)
}

/** Reads the names in a certificate of a pass type; null if it has none. */
export function readNames({ subject }: Pick<X509Certificate, 'subject'>): AppleNames | null {
  const passTypeIdentifier = /^UID=(pass\..{1,200})$/m.exec(subject)?.[1]
  const teamIdentifier = /^OU=(.{1,50})$/m.exec(subject)?.[1]
  return passTypeIdentifier === undefined || teamIdentifier === undefined
    ? null
    : { passTypeIdentifier, teamIdentifier }
}

/** Checks the key of a service account. @throws VALIDATION_FAILED at the path of what is wrong */
export function checkGoogleCredentials({
  certificate,
  privateKey,
  serviceAccount,
}: NewWalletCredentials): CheckedCredentials<GoogleSecret> {
  if (certificate !== undefined) refuse('certificate', 'unknown_member', 'is for Apple Wallet')
  if (privateKey !== undefined) refuse('privateKey', 'unknown_member', 'is for Apple Wallet')
  if (serviceAccount === undefined) return refuse('serviceAccount', 'required', 'is required')
  const key = parseKey(serviceAccount.private_key, 'serviceAccount.private_key')
  if (key.asymmetricKeyType !== 'rsa') refuse('serviceAccount.private_key', 'invalid', 'is no RSA key')
  const { client_email: clientEmail, private_key_id: privateKeyId } = serviceAccount
  return {
    facts: { clientEmail },
    secret: { clientEmail, privateKey: exportKey(key), ...(privateKeyId !== undefined && { privateKeyId }) },
  }
}
