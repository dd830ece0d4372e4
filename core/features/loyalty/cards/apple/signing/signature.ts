import { createHash, createPrivateKey, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { AppleCredentials } from '../../credentials.ts'
import {
  readElements,
  writeElement,
  writeIdentifier,
  writeInteger,
  writeNull,
  writeOctets,
  writeSequence,
  writeSet,
  writeTagged,
  writeTime,
} from './der.ts'

const identifiers = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const

/** Tags of the signed attributes: as they are signed, and as they stand in the signature. */
const attributeTags = { signed: 0x31, shown: 0xa0 } as const

// Runs beside the event loop, which a signature would hold up for a millisecond.
const signBeside = promisify(sign) as unknown as (algorithm: string, bytes: Buffer, key: KeyObject) => Promise<Buffer>

/** Signs what a pass contains. @returns a detached signature */
export type Signer = (content: Buffer, at: Date) => Promise<Buffer>

/**
 * Creates what signs the manifests of passes: CMS with SHA-256, with the certificate and those of its issuers. What is
 * the same in all signatures is written once.
 * Source: RFC 5652, sections 5.3 and 5.4; Apple, "Building a Pass".
 */
export function createSigner({
  certificates,
  privateKey,
}: Pick<AppleCredentials, 'certificates' | 'privateKey'>): Signer {
  const parsed = certificates.map((pem) => new X509Certificate(pem).raw)
  const [own] = parsed
  if (!own) throw new Error('There is no certificate to sign with')
  const key = createPrivateKey(privateKey)
  const digestAlgorithm = writeSequence(writeIdentifier(identifiers.sha256), writeNull())
  const keyAlgorithm =
    key.asymmetricKeyType === 'ec'
      ? writeSequence(writeIdentifier(identifiers.ecdsaWithSha256))
      : writeSequence(writeIdentifier(identifiers.rsa), writeNull())
  const head = [
    writeInteger(Buffer.from([1])),
    writeSet(digestAlgorithm),
    writeSequence(writeIdentifier(identifiers.data)),
    writeTagged(0, ...parsed),
  ]
  const signerHead = [writeInteger(Buffer.from([1])), readIssuer(own), digestAlgorithm]
  const signedData = writeIdentifier(identifiers.signedData)
  return async (content, at) => {
    const attributes = writeAttributes(content, at)
    const signature = await signBeside('sha256', writeElement(attributeTags.signed, attributes), key)
    const signer = writeSequence(
      ...signerHead,
      writeElement(attributeTags.shown, attributes),
      keyAlgorithm,
      writeOctets(signature),
    )
    return writeSequence(signedData, writeTagged(0, writeSequence(...head, writeSet(signer))))
  }
}

const contentType = writeAttribute(identifiers.contentType, writeIdentifier(identifiers.data))

function writeAttribute(identifier: string, value: Buffer): Buffer {
  return writeSequence(writeIdentifier(identifier), writeSet(value))
}

/** Writes the signed attributes in the order of their bytes, which is that of their lengths. Source: X.690, 11.6. */
function writeAttributes(content: Buffer, at: Date): Buffer {
  const digest = createHash('sha256').update(content).digest()
  return Buffer.concat([
    contentType,
    writeAttribute(identifiers.signingTime, writeTime(at)),
    writeAttribute(identifiers.messageDigest, writeOctets(digest)),
  ])
}

/** Reads by which issuer and serial number a signature names a certificate. Source: RFC 5280, section 4.1. */
function readIssuer(certificate: Buffer): Buffer {
  const [whole] = readElements(certificate)
  const [content] = readElements(whole?.content ?? Buffer.alloc(0))
  const members = readElements(content?.content ?? Buffer.alloc(0))
  // The version may be left out, and stands before all other members.
  const [serial, , issuer] = members[0]?.tag === 0xa0 ? members.slice(1) : members
  if (!serial || !issuer) throw new RangeError('The certificate has no issuer')
  return writeSequence(issuer.bytes, serial.bytes)
}
