import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { isRecord } from '../tools/openapi.ts'

/** What a sealed text is for: one for another purpose does not open. */
export type Purpose = 'session' | 'state' | 'task'
const purposes: readonly Purpose[] = ['session', 'state', 'task']

/** Texts that clients hand back to us, perhaps to another process: readable for everybody, made only by us. */
export interface Sealer {
  /**
   * `v1.<base64url JSON>.<base64url MAC>`.
   * @param seconds lifetime; null: without end
   * @param bind what has to be the same when it is opened
   */
  seal(purpose: Purpose, payload: unknown, seconds: number | null, bind: string): string
  /**
   * The payload; undefined: not ours, changed, expired, or bound to something else. Only the canonical spelling opens.
   */
  open(purpose: Purpose, text: string, bind: string): unknown
}

/**
 * @param secret the same in all processes of an installation. Source: RFC 5869 (a key a purpose), RFC 2104.
 * @param now the time in milliseconds
 */
export function sealer(secret: Uint8Array, now: () => number = () => Date.now()): Sealer {
  const keys = new Map(
    purposes.map((one) => [one, Buffer.from(hkdfSync('sha256', secret, '', `tessera bridge ${one}`, 32))]),
  )
  const mac = (purpose: Purpose, body: string, bind: string) =>
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
      const [version, body, given, more] = text.split('.', 4)
      if (version !== 'v1' || body === undefined || given === undefined || more !== undefined) return undefined
      const wanted = Buffer.from(mac(purpose, body, bind))
      const found = Buffer.from(given)
      if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) return undefined
      const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
      if (!isRecord(value)) return undefined
      const until = value['e']
      return typeof until === 'number' && until * 1000 < now() ? undefined : value['p']
    },
  }
}
