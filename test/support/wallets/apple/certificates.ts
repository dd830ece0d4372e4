import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate with its key, as PEM. */
export interface PemPair {
  certificate: string
  privateKey: string
}

/** What a certificate is made for. */
interface Request {
  /** As openssl writes names: `/UID=…/OU=…`. */
  subject: string
  issuer?: PemPair
  extensions: string
  /** 0: it has ended when it is made. */
  days: number
}

/** Creates a certificate with openssl, so that no code of ours decides what a certificate is. */
function create({ subject, issuer, extensions, days }: Request): PemPair {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const file = (name: string) => join(folder, name)
  const run = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    writeFileSync(file('key'), pem)
    writeFileSync(file('extensions'), extensions)
    run('req', '-new', '-key', file('key'), '-subj', subject, '-out', file('request'))
    if (issuer) {
      writeFileSync(file('issuer'), issuer.certificate)
      writeFileSync(file('issuer-key'), issuer.privateKey)
    }
    const signer = issuer ? ['-CA', file('issuer'), '-CAkey', file('issuer-key')] : ['-signkey', file('key')]
    const serial = `0x${randomBytes(8).toString('hex')}`
    run(
      ...['x509', '-req', '-in', file('request'), ...signer, '-set_serial', serial, '-sha256'],
      ...['-days', String(days), '-extfile', file('extensions'), '-out', file('certificate')],
    )
    return { certificate: readFileSync(file('certificate'), 'utf8'), privateKey: pem }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Creates an authority that stands for the one of Apple. */
export const createPassAuthority = (): PemPair =>
  create({
    subject: '/CN=Authority of passes in tests',
    extensions: 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign',
    days: 30,
  })

/** The names in a certificate of a pass type. */
export interface PassNames {
  passTypeIdentifier: string
  teamIdentifier: string
}

/**
 * Creates the certificate of a pass type. Source: Apple, "Create Wallet identifiers and certificates".
 * @param days 0: it has ended when it is made
 */
export const createPassCertificate = (
  issuer: PemPair,
  { passTypeIdentifier, teamIdentifier }: PassNames,
  days = 20,
): PemPair =>
  create({
    subject: `/UID=${passTypeIdentifier}/CN=Pass Type ID: ${passTypeIdentifier}/OU=${teamIdentifier}/C=US`,
    issuer,
    extensions: 'basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth',
    days,
  })

/** Creates a certificate of nothing that has to do with passes. */
export const createOtherCertificate = (issuer: PemPair): PemPair =>
  create({ subject: '/CN=Something else', issuer, extensions: 'basicConstraints=CA:FALSE', days: 20 })

/** Creates the certificate of a server on loopback. */
export const createServerCertificate = (issuer: PemPair): PemPair =>
  create({
    subject: '/CN=localhost',
    issuer,
    extensions: 'basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost,IP:127.0.0.1',
    days: 20,
  })
