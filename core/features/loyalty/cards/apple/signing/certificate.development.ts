import { generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../../../database/model.ts'
import type { AppleCredentials } from '../../credentials.ts'
import { readNames } from '../../credentials.check.ts'
import {
  writeBits,
  writeIdentifier,
  writeInteger,
  writeNull,
  writeSequence,
  writeSet,
  writeTagged,
  writeTime,
  writeUtf8,
} from './der.ts'

/** The names in the certificate of development, which Apple gives to nobody. */
const developmentNames = { passTypeIdentifier: 'pass.example.development', teamIdentifier: 'DEVELOPER0' } as const

const fileName = 'apple-wallet-development.pem'
const lifetimeMs = 10 * 365 * 86_400_000

const identifiers = {
  sha256WithRsa: '1.2.840.113549.1.1.11',
  commonName: '2.5.4.3',
  unit: '2.5.4.11',
  user: '0.9.2342.19200300.100.1.1',
} as const

const read = new Map<string, AppleCredentials>()

/**
 * Reads the credentials of development, and makes them at first use: a key with a certificate that it signs itself. All
 * processes that share the folder have the same ones. Phones refuse what they sign.
 */
export function readDevelopmentCredentials(dataDir: string): AppleCredentials {
  const known = read.get(dataDir)
  if (known) return known
  const path = join(dataDir, fileName)
  if (!existsSync(path)) createFile(path)
  const text = readFileSync(path, 'utf8')
  const certificate = new X509Certificate(text)
  const names = readNames(certificate)
  const privateKey = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/.exec(text)?.[0]
  if (!names || privateKey === undefined) throw new Error(`${path} is no certificate of a pass type with its key`)
  const credentials: AppleCredentials = {
    channel: 'apple-wallet',
    ...names,
    certificates: [certificate.toString()],
    privateKey,
    version: certificate.fingerprint256,
  }
  read.set(dataDir, credentials)
  return credentials
}

/** Writes the file, unless another process does so first. */
function createFile(path: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const certificate = createCertificate(publicKey, privateKey)
  const draft = `${path}.${newId()}`
  writeFileSync(draft, `${certificate}${privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()}`, {
    mode: 0o600,
  })
  try {
    linkSync(draft, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
  } finally {
    rmSync(draft)
  }
}

const writeName = (identifier: string, text: string) =>
  writeSet(writeSequence(writeIdentifier(identifier), writeUtf8(text)))

/** Creates a certificate that its own key signs. Source: RFC 5280, section 4.1. @returns PEM */
function createCertificate(publicKey: KeyObject, privateKey: KeyObject): string {
  const { passTypeIdentifier, teamIdentifier } = developmentNames
  const now = Date.now()
  const algorithm = writeSequence(writeIdentifier(identifiers.sha256WithRsa), writeNull())
  const name = writeSequence(
    writeName(identifiers.user, passTypeIdentifier),
    writeName(identifiers.commonName, `Pass Type ID: ${passTypeIdentifier}`),
    writeName(identifiers.unit, teamIdentifier),
  )
  const content = writeSequence(
    writeTagged(0, writeInteger(Buffer.from([2]))),
    writeInteger(Buffer.from(newId().replaceAll('-', ''), 'hex')),
    algorithm,
    name,
    writeSequence(writeTime(new Date(now - 86_400_000)), writeTime(new Date(now + lifetimeMs))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const body = writeSequence(content, algorithm, writeBits(sign('sha256', content, privateKey)))
  const lines = body.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
