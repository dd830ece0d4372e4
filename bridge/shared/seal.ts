import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { parseExactJson } from '../../tools/json.ts'
import { isRecord } from '../../tools/openapi.ts'

/** The purpose of a sealed text. A text for another purpose does not open. */
export type SealPurpose = 'session' | 'state' | 'task' | 'confirm'
const purposes: readonly SealPurpose[] = ['session', 'state', 'task', 'confirm']

/** Seals texts that clients send back, perhaps to another process: everybody can read them, only we can make them. */
export interface Sealer {
  /**
   * Seals a payload as `v1.<base64url JSON>.<base64url MAC>`.
   * @param seconds the lifetime; null means without end
   * @param bind a text that must be the same when the sealed text is opened
   */
  seal(purpose: SealPurpose, payload: unknown, seconds: number | null, bind: string): string
  /**
   * Opens a sealed text and returns the payload; undefined if the text is not ours, was changed, has expired or is
   * bound to something else. Only the canonical spelling opens.
   */
  open(purpose: SealPurpose, text: string, bind: string): unknown
}

/**
 * Creates a sealer. Source: RFC 5869 (one key per purpose), RFC 2104.
 * @param secret the same in all processes of an installation
 * @param now returns the time in milliseconds
 */
export function createSealer(secret: Uint8Array, now: () => number = () => Date.now()): Sealer {
  const keys = new Map(
    purposes.map((one) => [one, Buffer.from(hkdfSync('sha256', secret, '', `tessera bridge ${one}`, 32))]),
  )
  const mac = (purpose: SealPurpose, body: string, bind: string) =>
    createHmac('sha256', keys.get(purpose) ?? '')
      .update(`${Buffer.byteLength(bind)}.${bind}.${body}`)
      .digest('base64url')
  return {
    seal(purpose, payload, seconds, bind) {
      const until = seconds === null ? {} : { e: Math.floor(now() / 1000) + seconds }
      const body = Buffer.from(JSON.stringify({ p: payload, ...until })).toString('base64url')
      return `v1.${body}.${mac(purpose, body, bind)}`
    },
    open(purpose, text, bind) {
      const [version, body, statedMac, more] = text.split('.', 4)
      if (version !== 'v1' || body === undefined || statedMac === undefined || more !== undefined) return undefined
      const expectedBytes = Buffer.from(mac(purpose, body, bind))
      const statedBytes = Buffer.from(statedMac)
      if (expectedBytes.length !== statedBytes.length || !timingSafeEqual(expectedBytes, statedBytes)) return undefined
      const value = parseExactJson(Buffer.from(body, 'base64url'))
      if (!isRecord(value)) return undefined
      const until = value['e']
      return typeof until === 'number' && until * 1000 < now() ? undefined : value['p']
    },
  }
}
