import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SealedColumn } from '../../../kernel/sealing/reseal.ts'
import { createSealFromSettings } from '../../../kernel/sealing/seal.ts'
import type { Context } from '../../../kernel/work.ts'

/** The integration that a secret belongs to; it cannot be decrypted for another one. */
interface SecretOwner {
  id: string
  organization: string
}

const secretColumns = { apiKey: 'api_key', webhookSecret: 'webhook_secret' } as const
export type SecretName = keyof typeof secretColumns

const nameOf = (secret: SecretName, { id, organization }: SecretOwner) => `pos-${secret}:${organization}:${id}`

/** The columns that hold the secrets of integrations. */
export const sealedPosSecrets: SealedColumn[] = (['apiKey', 'webhookSecret'] as const).map((secret) => ({
  table: 'pos_integrations',
  column: secretColumns[secret],
  getSealName: (row) => nameOf(secret, row),
}))

type SealContext = Pick<Context, 'settings'>

/** Encrypts a secret for storage. */
export const sealSecret = (context: SealContext, name: SecretName, owner: SecretOwner, secret: string): Buffer =>
  createSealFromSettings(context.settings).encrypt(nameOf(name, owner), Buffer.from(secret))

/** Decrypts a stored secret. @throws Error if the key encryption key is another one */
export const openSecret = (context: SealContext, name: SecretName, owner: SecretOwner, sealed: Uint8Array): string =>
  createSealFromSettings(context.settings).decrypt(nameOf(name, owner), sealed).toString()

const signaturePattern = /^sha256=([0-9a-f]{64})$/i

/** Returns the digest of the header `X-Signature`, or undefined if there is none in its form. */
export function parseSignature(header: string | string[] | undefined): Buffer | undefined {
  const digits = typeof header === 'string' ? signaturePattern.exec(header)?.[1] : undefined
  return digits === undefined ? undefined : Buffer.from(digits, 'hex')
}

/** Checks the HMAC of a body in constant time. Source: RFC 2104. */
export const isSignedWith = (secret: string, body: Buffer, signature: Buffer): boolean =>
  timingSafeEqual(createHmac('sha256', secret).update(body).digest(), signature)
