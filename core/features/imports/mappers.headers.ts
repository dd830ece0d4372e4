import type { SealedColumn } from '../../kernel/reseal.ts'
import { sealFrom } from '../../kernel/seal.ts'
import type { Context } from '../../kernel/work.ts'

/** Headers of a mapper by name, as they were spelt. */
export type Headers = Record<string, string>

/** Whose headers they are; they open under no other name. */
interface Owner { id: string; organization: string }

const nameOf = ({ id, organization }: Owner) => `import-mapper-headers:${organization}:${id}`

/** Where headers of mappers lie. */
export const sealedHeaders: SealedColumn = { table: 'import_mappers', column: 'headers', nameOf }

const sealFor = ({ settings }: Pick<Context, 'settings'>) => sealFrom(settings)

/** Headers as they are stored; null for none. */
export function sealHeaders(context: Pick<Context, 'settings'>, owner: Owner, headers: Headers | null): Buffer | null {
  if (headers === null || Object.keys(headers).length === 0) return null
  return sealFor(context).close(nameOf(owner), Buffer.from(JSON.stringify(headers)))
}

/** Stored headers in the clear; for the fetch, and for their names. @throws Error under another key encryption key */
export function openHeaders(
  context: Pick<Context, 'settings'>, owner: Owner, sealed: Uint8Array | null,
): Headers | null {
  if (sealed === null) return null
  return JSON.parse(sealFor(context).open(nameOf(owner), sealed).toString()) as Headers
}

/** Headers after a merge patch; a name is the same in small and capital letters. Source: RFC 7396, RFC 9110 */
export function mergeHeaders(present: Headers | null, patch: Record<string, string | null> | null): Headers | null {
  if (patch === null) return null
  const entries = Object.entries(present ?? {}).map((entry) => [entry[0].toLowerCase(), entry] as const)
  const merged = new Map<string, [string, string]>(entries)
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name.toLowerCase())
    else merged.set(name.toLowerCase(), [name, value])
  }
  return merged.size === 0 ? null : Object.fromEntries(merged.values())
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const fieldValue = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** Those that speak of the connection, of the message or of what a fetch decides itself. Source: RFC 9110 */
const ours = new Set([
  'accept', 'accept-encoding', 'accept-ranges', 'connection', 'content-encoding', 'content-length', 'content-type',
  'date', 'expect', 'forwarded', 'host', 'if-match', 'if-modified-since', 'if-none-match', 'if-range',
  'if-unmodified-since', 'keep-alive', 'max-forwards', 'range', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'user-agent', 'via',
])

/** What is wrong with one header, without its value. */
export function headerFault(name: string, value: string): string | undefined {
  if (!token.test(name)) return 'is not the name of a header'
  const small = name.toLowerCase()
  if (ours.has(small) || /^(?:proxy|sec|x-forwarded)-/.test(small)) return 'is set by the fetch itself'
  return fieldValue.test(value) ? undefined : 'has a value with characters that no header can have, or none'
}
