import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { createKeptUri, keptMinutes, parseKeptUri } from '../../tools/own/kept-answer.ts'
import type { SharedState } from './shared-state.ts'

/** A body that no address of the API reads again. */
export interface KeptAnswer {
  readonly mediaType: string | null
  readonly bytes: Uint8Array
}

/**
 * The groups of places for kept answers, and the places of each. The hash of a caller says which group it uses, so one
 * caller has at most four answers and leaves the other groups alone. An answer has at most 8 MiB, so all have 128 MiB.
 */
const groupCount = 4
const placesPerGroup = 4

/** The cipher of what is kept, with the bytes of its parts. Source: NIST SP 800-38D. */
const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** The end of the line with the media type. */
const newline = 0x0a

/**
 * Keeps for some minutes what the API answered and cannot be asked again, so that what a result leaves out can be read.
 * The newest answers of a caller take the places of its oldest. An answer is encrypted with a key that its address and
 * the hash of its caller make together, so nobody else can read it, and neither can whoever sees the state of Redis.
 */
export class KeptAnswers {
  readonly #shared: SharedState
  #count = 0

  constructor(shared: SharedState) {
    this.#shared = shared
  }

  /** Keeps an answer for its caller. @returns the address of the resource that reads it */
  async keep(callerHash: string, { mediaType, bytes }: KeptAnswer): Promise<string> {
    const group = Buffer.from(callerHash, 'base64url').readUInt8() % groupCount
    const place = group * placesPerGroup + (this.#count++ % placesPerGroup)
    const id = randomBytes(16).toString('base64url')
    const iv = randomBytes(ivBytes)
    const encryption = createCipheriv(cipher, deriveKey(id, callerHash), iv, { authTagLength: tagBytes })
    const head = encryption.update(`${JSON.stringify(mediaType)}\n`)
    const content = Buffer.concat([head, encryption.update(bytes), encryption.final()])
    const entry = Buffer.concat([iv, encryption.getAuthTag(), content])
    await this.#shared.keepBytes(formatPlace(place), entry, keptMinutes * 60)
    return createKeptUri(place, id)
  }

  /** Finds an answer. @param uri without a range @returns null if it is not kept any more, or is another caller's */
  async find(uri: string, callerHash: string): Promise<KeptAnswer | null> {
    const address = parseKeptUri(uri)
    if (!address) return null
    for (const entry of await this.#shared.readBytes(formatPlace(address.place))) {
      const content = decrypt(entry, deriveKey(address.id, callerHash))
      if (content) return parseContent(content)
    }
    return null
  }
}

const formatPlace = (place: number) => `answer:${place}`

const deriveKey = (id: string, callerHash: string) =>
  Buffer.from(hkdfSync('sha256', id, callerHash, 'tessera kept answer', 32))

/** Decrypts an entry; null if the key is another one's, or the entry was changed. */
function decrypt(entry: Buffer, key: Buffer): Buffer | null {
  const decryption = createDecipheriv(cipher, key, entry.subarray(0, ivBytes), { authTagLength: tagBytes })
  decryption.setAuthTag(entry.subarray(ivBytes, ivBytes + tagBytes))
  const content = decryption.update(entry.subarray(ivBytes + tagBytes))
  try {
    decryption.final()
    return content
  } catch {
    return null
  }
}

function parseContent(content: Buffer): KeptAnswer {
  const end = content.indexOf(newline)
  return { mediaType: JSON.parse(content.toString('utf8', 0, end)) as string | null, bytes: content.subarray(end + 1) }
}
