import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'

/** A field of a pass. */
export interface ShownField {
  key: string
  label?: string
  value: string | number
  changeMessage?: string
}

/** A pass that a phone has taken. */
export interface OpenPass {
  files: ReadonlyMap<string, Buffer>
  passTypeIdentifier: string
  teamIdentifier: string
  serialNumber: string
  authenticationToken: string
  webServiceURL: string
  organizationName: string
  description: string
  logoText: string
  backgroundColor: string
  foregroundColor: string
  labelColor: string
  sharingProhibited: boolean
  barcodes: { format: string; message: string; messageEncoding: string }[]
  /** All fields, by their keys. */
  fields: ReadonlyMap<string, ShownField>
}

/** Thrown for a file that Wallet would not take. */
export class PassRefusedError extends Error {
  override name = 'PassRefusedError'
}

function refuse(reason: string): never {
  throw new PassRefusedError(reason)
}

/** Reads the files of an archive by its directory. Source: PKWARE, .ZIP File Format Specification 6.3. */
function unpack(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0) refuse('it is no archive')
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== 0x02014b50) refuse('its directory is broken')
    const [method, crc, packed, plain] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
    ]
    const [nameBytes, extra, comment] = [28, 30, 32].map((step) => archive.readUInt16LE(at + step)) as [
      number,
      number,
      number,
    ]
    const name = archive.toString('utf8', at + 46, at + 46 + nameBytes)
    const local = archive.readUInt32LE(at + 42)
    if (archive.readUInt32LE(local) !== 0x04034b50) refuse(`${name} is not where the directory says`)
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const bytes = archive.subarray(from, from + packed)
    const body =
      method === 0 ? bytes : method === 8 ? inflateRawSync(bytes) : refuse(`${name} is packed in another way`)
    if (body.length !== plain || crc32(body) !== crc) refuse(`${name} is damaged`)
    if (files.has(name)) refuse(`${name} is there twice`)
    files.set(name, body)
    at += 46 + nameBytes + extra + comment
  }
  return files
}

/**
 * Checks the manifest: it names every file but itself and the signature, each with its SHA-1, and no other.
 * Source: Apple, "Building a Pass".
 */
function checkManifest(files: ReadonlyMap<string, Buffer>): void {
  const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? refuse('it has no manifest')) as Record<
    string,
    string
  >
  const named = [...files.keys()].filter((name) => name !== 'manifest.json' && name !== 'signature')
  if (named.toSorted().join() !== Object.keys(manifest).toSorted().join()) refuse('the manifest names other files')
  for (const name of named)
    if (
      createHash('sha1')
        .update(files.get(name) ?? '')
        .digest('hex') !== manifest[name]
    )
      refuse(`${name} is not what the manifest says`)
}

/**
 * Checks the signature of the manifest with openssl, and reads who signed. @param ca the authority that has to stand behind
 * it, as PEM
 */
function checkSignature(files: ReadonlyMap<string, Buffer>, ca: string): X509Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'pass-'))
  const file = (name: string, body: Buffer | string) => {
    writeFileSync(join(folder, name), body)
    return join(folder, name)
  }
  try {
    const signature = file('signature', files.get('signature') ?? refuse('it has no signature'))
    const manifest = file('manifest.json', files.get('manifest.json') ?? '')
    const signer = join(folder, 'signer.pem')
    execFileSync(
      'openssl',
      [
        ...['cms', '-verify', '-binary', '-inform', 'DER', '-in', signature, '-content', manifest],
        ...['-CAfile', file('ca.pem', ca), '-purpose', 'any', '-signer', signer, '-out', join(folder, 'out')],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    return new X509Certificate(execFileSync('cat', [signer]))
  } catch (cause) {
    if (cause instanceof PassRefusedError) throw cause
    throw new PassRefusedError('its signature is not that of the manifest', { cause })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const groups = ['headerFields', 'primaryFields', 'secondaryFields', 'auxiliaryFields', 'backFields'] as const
const texts = [
  ...['passTypeIdentifier', 'teamIdentifier', 'serialNumber', 'authenticationToken', 'webServiceURL'],
  ...['organizationName', 'description', 'logoText', 'backgroundColor', 'foregroundColor', 'labelColor'],
] as const

/**
 * Opens a file as Wallet does. Source: Apple, "Pass", "PassFields" and "PassFieldContent"; PassKit Package Format Reference.
 * @param ca the authority behind pass types, as PEM
 * @throws PassRefusedError
 */
export function openPass(file: Buffer, ca: string): OpenPass {
  const files = unpack(file)
  checkManifest(files)
  const signer = checkSignature(files, ca)
  for (const name of ['icon.png', 'icon@2x.png', 'icon@3x.png'])
    if (files.get(name)?.subarray(1, 4).toString() !== 'PNG') refuse(`${name} is no picture`)
  const pass = JSON.parse(files.get('pass.json')?.toString() ?? refuse('it has no pass.json')) as Record<
    string,
    unknown
  >
  if (pass['formatVersion'] !== 1) refuse('formatVersion is not 1')
  for (const name of texts) if (typeof pass[name] !== 'string' || pass[name] === '') refuse(`${name} is missing`)
  const known = pass as unknown as OpenPass
  if (!signer.subject.includes(`UID=${known.passTypeIdentifier}`)) refuse('its signer has another pass type')
  if (!signer.subject.includes(`OU=${known.teamIdentifier}`)) refuse('its signer is of another team')
  if (known.authenticationToken.length < 16) refuse('its token has fewer than 16 characters')
  for (const name of ['backgroundColor', 'foregroundColor', 'labelColor'] as const)
    if (!/^rgb\(\d{1,3}, ?\d{1,3}, ?\d{1,3}\)$/.test(known[name])) refuse(`${name} is no colour`)
  return { ...known, files, fields: readFields(pass) }
}

function readFields(pass: Record<string, unknown>): Map<string, ShownField> {
  const style = (pass['storeCard'] ?? refuse('it is no store card')) as Record<string, ShownField[] | undefined>
  const fields = new Map<string, ShownField>()
  for (const field of groups.flatMap((group) => style[group] ?? [])) {
    if (fields.has(field.key)) refuse(`two fields are called ${field.key}`)
    if (typeof field.value !== 'string' && typeof field.value !== 'number') refuse(`${field.key} has no value`)
    if (field.changeMessage !== undefined && !field.changeMessage.includes('%@'))
      refuse(`the message of ${field.key} does not say the value`)
    fields.set(field.key, field)
  }
  return fields
}
