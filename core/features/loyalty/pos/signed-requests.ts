import { isObject, parseJson } from '../../../kernel/json/values.ts'
import type { SenderInput } from '../../../kernel/operation.ts'
import { createProblem } from '../../../kernel/problem.ts'
import { findIntegration, type Integration } from './integrations.store.ts'
import { isSignedWith, openSecret, parseSignature } from './secrets.ts'

/** Maximum size of a signed body, in bytes. */
export const maxSignedBytes = 512 * 1024

type SignedInput = Pick<SenderInput<string>, 'context' | 'headers' | 'bytes'>
type IntegrationKey = Parameters<typeof findIntegration>[1]

/**
 * Finds the integration that has signed a request. One that is not known is refused like a wrong signature.
 * @param key what the request names it by; null if it names none
 * @throws WEBHOOK_INVALID_SIGNATURE
 */
export async function findSigner(
  { context, headers, bytes }: SignedInput,
  key: IntegrationKey | null,
): Promise<Integration> {
  const signature = parseSignature(headers['x-signature'])
  const integration = signature && key && isText(key) ? await findIntegration(context.db, key) : undefined
  if (!signature || !integration?.webhookSecret) throw createSignatureProblem()
  const secret = openSecret(context, 'webhookSecret', integration, integration.webhookSecret)
  if (!isSignedWith(secret, bytes, signature)) throw createSignatureProblem()
  return integration
}

/** The database keeps no text with this character, so nothing has such a name. */
const isText = (key: IntegrationKey) => Object.values(key).every((name: string) => !name.includes('\0'))

const createSignatureProblem = () =>
  createProblem('WEBHOOK_INVALID_SIGNATURE', 'X-Signature is not the signature of this body by a known integration.')

/** Returns the restaurant that a body names, before its signature is checked; null if it names none. */
export function findNamedRestaurant(bytes: Buffer): string | null {
  const body = parseJson(bytes.toString())
  const restaurantId = isObject(body) ? body['restaurantId'] : null
  return typeof restaurantId === 'string' ? restaurantId : null
}
