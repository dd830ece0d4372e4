import { OutboundError } from '../../../kernel/parts.ts'
import type { Context } from '../../../kernel/work.ts'
import { asciiOf, isLocalhost, isWildcard, objectionTo, recordNameOf } from './domains.hosts.ts'
import type { ProofFault, ProofMethod } from './domains.schema.ts'

/** What a look for a proof found. `certain`: its absence is certain, not only out of sight at the moment. */
export type ProofResult =
  | { found: true; method: ProofMethod | null }
  | { found: false; reason: ProofFault; certain: Record<ProofMethod, boolean> }

const fileLimits = { types: [], most: 16 * 1024, patience: 5_000, sameOrigin: true } as const
/** Statuses by which a host says that there is no such file. */
const absentStatuses = new Set([404, 410])

/**
 * Looks for the proof of a domain: the TXT record, else the file on the domain's own host. A file says nothing of the
 * hosts beside it, so that a wildcard is proven by DNS alone. Source: RFC 8555, section 8.3 and its use for wildcards.
 */
export async function findProof(
  { outbound, settings }: Pick<Context, 'outbound' | 'settings'>, domain: string, value: string,
): Promise<ProofResult> {
  if (objectionTo(settings, domain) !== undefined || asciiOf(domain) !== domain) {
    return { found: false, reason: 'not_allowed', certain: { dns: true, file: true } }
  }
  if (isLocalhost(domain)) return { found: true, method: null }
  const record = await lookAtRecord(outbound, domain, value)
  if (record === 'found') return { found: true, method: 'dns' }
  const file = isWildcard(domain) ? 'missing' : await lookAtFile(outbound, domain, value)
  if (file === 'found') return { found: true, method: 'file' }
  const reason = record === 'record_missing' && file === 'file_differs' ? file : record
  const certain = { dns: record === 'record_missing' || record === 'record_differs', file: file !== 'unknown' }
  return { found: false, reason, certain }
}

type Outbound = Context['outbound']

async function lookAtRecord(outbound: Outbound, domain: string, value: string): Promise<'found' | ProofFault> {
  try {
    const texts = await outbound.texts(recordNameOf(domain))
    if (texts.includes(value)) return 'found'
    return texts.length === 0 ? 'record_missing' : 'record_differs'
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return cause.reason === 'timeout' ? 'dns_timeout' : 'dns_failed'
  }
}

async function lookAtFile(
  outbound: Outbound, domain: string, value: string,
): Promise<'found' | 'file_differs' | 'missing' | 'unknown'> {
  try {
    const { body } = await outbound.get(`https://${domain}/.well-known/tessera-domain.txt`, fileLimits)
    const lines = body.toString('utf8').split(/\r?\n/).map((line) => line.trim())
    return lines.includes(value) ? 'found' : 'file_differs'
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return absentStatuses.has(cause.status ?? 0) ? 'missing' : 'unknown'
  }
}
