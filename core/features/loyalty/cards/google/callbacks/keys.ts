import { createPublicKey, type KeyObject } from 'node:crypto'
import { isObject, parseJson } from '../../../../../kernel/json/values.ts'
import { UnavailableError } from '../../../../../kernel/unavailable.ts'

/** A public key that signs, until it expires. */
export interface SigningKey {
  key: KeyObject
  /** Milliseconds since 1970. */
  expiresAt: number
}

export const protocolVersion = 'ECv2SigningOnly'

const timeoutMs = 5_000
const maxBytes = 64 * 1024
const maxKeys = 50
/** How long keys are used without being fetched again, in milliseconds. */
const cacheMs = { default: 3_600_000, min: 60_000, max: 7 * 86_400_000 }
/** How often keys are fetched at most because one is missing: anybody may send what they do not fit. */
const renewalMs = 60_000

interface KeptKeys {
  keys: SigningKey[]
  fetchedAt: number
  freshUntil: number
}

/** The root keys of Google, as long as its answer says that they may be kept. */
export interface RootKeys {
  /**
   * Returns the keys that have not expired.
   * @param isRenewed whether they are fetched again, because none of them fits; once a minute at most
   * @throws UnavailableError if there are none and they cannot be fetched
   */
  read(isRenewed: boolean): Promise<SigningKey[]>
}

/** Creates the store of root keys of a process. Many who ask at the same time wait for one request. */
export function createRootKeys(url: string, now: () => Date): RootKeys {
  let kept: KeptKeys | null = null
  let request: Promise<KeptKeys> | null = null
  const renew = () => {
    request ??= fetchKeys(url, now)
      .then((fetched) => (kept = fetched))
      .finally(() => {
        request = null
      })
    return request
  }
  return {
    async read(isRenewed) {
      const at = now().getTime()
      const isDue = !kept || at >= kept.freshUntil || (isRenewed && at >= kept.fetchedAt + renewalMs)
      let current = kept
      if (isDue) {
        current = await renew().catch((cause: unknown) => {
          // Each key says itself until when it may be used.
          if (kept && cause instanceof UnavailableError) return kept
          throw cause
        })
      }
      return (current?.keys ?? []).filter(({ expiresAt }) => expiresAt > at)
    },
  }
}

async function fetchKeys(url: string, now: () => Date): Promise<KeptKeys> {
  try {
    const answer = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of answer.body ?? []) {
      if ((size += chunk.length) > maxBytes) throw new Error(`The keys have more than ${maxBytes} bytes.`)
      chunks.push(chunk)
    }
    if (answer.status !== 200) throw new Error(`The keys were answered with ${answer.status}.`)
    const keys = parseKeys(parseJson(Buffer.concat(chunks).toString()))
    const fetchedAt = now().getTime()
    return { keys, fetchedAt, freshUntil: fetchedAt + readMaxAge(answer.headers.get('cache-control')) }
  } catch (cause) {
    throw new UnavailableError('The keys of Google Wallet cannot be fetched.', { cause })
  }
}

/** Returns how long an answer may be kept, in milliseconds. Source: RFC 9111, section 5.2.2. */
function readMaxAge(cacheControl: string | null): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl ?? '')?.[1]
  return seconds === undefined ? cacheMs.default : Math.min(Math.max(Number(seconds) * 1_000, cacheMs.min), cacheMs.max)
}

/** @throws Error for what is no list of keys */
function parseKeys(body: unknown): SigningKey[] {
  const list = isObject(body) ? body['keys'] : undefined
  if (!Array.isArray(list)) throw new Error('The answer is no list of keys.')
  return list.slice(0, maxKeys).flatMap((one: unknown) => {
    if (!isObject(one) || one['protocolVersion'] !== protocolVersion) return []
    return parseSigningKey(one) ?? []
  })
}

/** Parses a key on the curve P-256 with its expiry; null for anything else. */
export function parseSigningKey(value: unknown): SigningKey | null {
  const { keyValue, keyExpiration } = isObject(value) ? value : {}
  if (typeof keyValue !== 'string' || !/^\d{1,15}$/.test(String(keyExpiration))) return null
  try {
    const key = createPublicKey({ key: Buffer.from(keyValue, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return null
    return { key, expiresAt: Number(keyExpiration) }
  } catch {
    // What node cannot read is no key.
    return null
  }
}
