import { verify, type KeyObject } from 'node:crypto'
import { isObject, parseJson } from '../../../../../kernel/json/values.ts'
import { parseSigningKey, protocolVersion, type RootKeys, type SigningKey } from './keys.ts'
import { parseGoogleId } from '../templates.ts'

/** What Google reports: that a person saved or deleted a card. */
export interface CardCallback {
  issuerId: string
  application: string
  card: string
  event: 'save' | 'del'
  /** The same for each delivery of one event. */
  nonce: string
  /** When the report expires, which is later for a later event. */
  expiresAt: Date
}

/** A report in its envelope, with what signs it. */
interface Envelope {
  signature: Buffer
  signedKey: string
  keySignatures: Buffer[]
  signedMessage: string
}

/** Who signs. Source: Google Wallet, "Save and delete notifications". */
const senderId = 'GooglePayPasses'

const maxSignatures = 10

/**
 * Opens a report: checks that a root key of Google signs the intermediate key, and this one the message, for the issuer
 * that the message names, and that neither has expired. The intermediate key's signature is over sender, version and key;
 * the message's over sender, recipient, version and message, each with its length before it.
 * Source: Google Pay, "Payment data cryptography for merchants", ECv2SigningOnly
 * @returns null if it is not Google's, or about nothing that can be ours
 * @throws UnavailableError if the root keys cannot be fetched
 */
export async function openCallback(bytes: Buffer, rootKeys: RootKeys, now: Date): Promise<CardCallback | null> {
  const envelope = parseEnvelope(parseJson(bytes.toString()))
  const message = envelope && parseMessage(parseJson(envelope.signedMessage))
  const signingKey = envelope && parseSigningKey(parseJson(envelope.signedKey))
  if (!envelope || !message || !signingKey) return null
  if (signingKey.expiresAt <= now.getTime() || message.expiresAt <= now) return null
  const keyBytes = joinWithLengths(senderId, protocolVersion, envelope.signedKey)
  const isKeyOf = (roots: readonly SigningKey[]) =>
    roots.some(({ key }) => envelope.keySignatures.some((signature) => isSigned(key, keyBytes, signature)))
  const messageBytes = joinWithLengths(senderId, message.issuerId, protocolVersion, envelope.signedMessage)
  if (!isSigned(signingKey.key, messageBytes, envelope.signature)) return null
  if (!isKeyOf(await rootKeys.read(false)) && !isKeyOf(await rootKeys.read(true))) return null
  return message
}

/** Checks an ECDSA signature over SHA-256 in its DER form. */
const isSigned = (key: KeyObject, bytes: Buffer, signature: Buffer): boolean => verify('sha256', bytes, key, signature)

/** Joins texts, each after its length in bytes as four bytes, the lowest first. */
const joinWithLengths = (...texts: string[]): Buffer =>
  Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return [length, bytes]
    }),
  )

function parseEnvelope(body: unknown): Envelope | null {
  if (!isObject(body) || body['protocolVersion'] !== protocolVersion) return null
  const { signature, signedMessage, intermediateSigningKey: intermediate } = body
  const { signedKey, signatures } = isObject(intermediate) ? intermediate : {}
  if (typeof signature !== 'string' || typeof signedMessage !== 'string' || typeof signedKey !== 'string') return null
  if (!Array.isArray(signatures)) return null
  return {
    signature: Buffer.from(signature, 'base64'),
    signedKey,
    keySignatures: signatures
      .slice(0, maxSignatures)
      .flatMap((one: unknown) => (typeof one === 'string' ? [Buffer.from(one, 'base64')] : [])),
    signedMessage,
  }
}

function parseMessage(message: unknown): CardCallback | null {
  if (!isObject(message)) return null
  const { classId, objectId, eventType: event, expTimeMillis, nonce } = message
  const cardClass = typeof classId === 'string' ? parseGoogleId(classId) : null
  const object = typeof objectId === 'string' ? parseGoogleId(objectId) : null
  if (!cardClass || !object || cardClass.issuerId !== object.issuerId) return null
  if ((event !== 'save' && event !== 'del') || typeof nonce !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(nonce))
    return null
  if (!/^\d{1,15}$/.test(String(expTimeMillis))) return null
  return {
    issuerId: object.issuerId,
    application: cardClass.own,
    card: object.own,
    event,
    nonce,
    expiresAt: new Date(Number(expTimeMillis)),
  }
}
