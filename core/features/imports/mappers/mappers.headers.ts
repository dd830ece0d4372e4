import type { SealedColumn } from '../../../kernel/sealing/reseal.ts'
import { createSealFromSettings } from '../../../kernel/sealing/seal.ts'
import type { Context } from '../../../kernel/work.ts'

/** The headers of a mapper by their names, as the names were spelt. */
export type MapperHeaders = Record<string, string>

/** The mapper that headers belong to; they cannot be decrypted for another mapper. */
interface HeaderOwner {
  id: string
  organization: string
}

const nameOf = ({ id, organization }: HeaderOwner) => `import-mapper-headers:${organization}:${id}`

/** The column that holds the headers of mappers. */
export const sealedHeaders: SealedColumn = { table: 'import_mappers', column: 'headers', getSealName: nameOf }

const createSeal = ({ settings }: Pick<Context, 'settings'>) => createSealFromSettings(settings)

/** Encrypts headers for storage; returns null if there are none. */
export function sealHeaders(
  context: Pick<Context, 'settings'>,
  owner: HeaderOwner,
  headers: MapperHeaders | null,
): Buffer | null {
  if (headers === null || Object.keys(headers).length === 0) return null
  return createSeal(context).encrypt(nameOf(owner), Buffer.from(JSON.stringify(headers)))
}

/**
 * Decrypts stored headers, for the fetch and for their names.
 * @throws Error if the key encryption key is another one
 */
export function openHeaders(
  context: Pick<Context, 'settings'>,
  owner: HeaderOwner,
  sealed: Uint8Array | null,
): MapperHeaders | null {
  if (sealed === null) return null
  return JSON.parse(createSeal(context).decrypt(nameOf(owner), sealed).toString()) as MapperHeaders
}

/** Merges a patch into headers; names are not case-sensitive. Source: RFC 7396, RFC 9110 */
export function mergeHeaders(
  present: MapperHeaders | null,
  patch: Record<string, string | null> | null,
): MapperHeaders | null {
  if (patch === null) return null
  const entries = Object.entries(present ?? {}).map((entry) => [entry[0].toLowerCase(), entry] as const)
  const merged = new Map<string, [string, string]>(entries)
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name.toLowerCase())
    else merged.set(name.toLowerCase(), [name, value])
  }
  return merged.size === 0 ? null : Object.fromEntries(merged.values())
}

const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const fieldValuePattern = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** The headers that describe the connection or the message, or that a fetch sets itself. Source: RFC 9110 */
const reservedNames = new Set([
  'accept',
  'accept-encoding',
  'accept-ranges',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'forwarded',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'max-forwards',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
])

/** Finds what is wrong with one header; the returned text does not show its value. */
export function findHeaderIssue(name: string, value: string): string | undefined {
  if (!tokenPattern.test(name)) return 'is not the name of a header'
  const small = name.toLowerCase()
  if (reservedNames.has(small) || /^(?:proxy|sec|x-forwarded)-/.test(small)) return 'is set by the fetch itself'
  return fieldValuePattern.test(value) ? undefined : 'has a value with characters that no header can have, or none'
}
