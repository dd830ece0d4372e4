import { OutboundError } from '../../../kernel/ports/outbound.ts'
import type { Context } from '../../../kernel/work.ts'
import { toAsciiDomain, isLocalhost, isWildcard, findDomainObjection, getProofRecordName } from './domains.hosts.ts'
import type { ProofFailure, ProofMethod } from './domains.schema.ts'

/**
 * The result of a search for a proof. `certain` says for each method whether the proof is certainly absent, and not
 * only unreachable at the moment.
 */
export type ProofResult =
  | { found: true; method: ProofMethod | null }
  | { found: false; reason: ProofFailure; certain: Record<ProofMethod, boolean> }

const fileLimits = { mediaTypes: [], maxBytes: 16 * 1024, timeoutMs: 5_000, sameOrigin: true } as const
/** HTTP statuses by which a host says that the file does not exist. */
const absentStatuses = new Set([404, 410])

/**
 * Searches the proof of a domain: the TXT record first, then the file on the domain's own host. A file proves nothing
 * about neighbouring hosts, so a wildcard can be proven by DNS alone. Source: RFC 8555, section 8.3 and its use for
 * wildcards.
 */
export async function checkProof(
  { outbound, settings }: Pick<Context, 'outbound' | 'settings'>,
  domain: string,
  value: string,
): Promise<ProofResult> {
  if (findDomainObjection(settings, domain) !== undefined || toAsciiDomain(domain) !== domain) {
    return { found: false, reason: 'not_allowed', certain: { dns: true, file: true } }
  }
  if (isLocalhost(domain)) return { found: true, method: null }
  const record = await checkRecord(outbound, domain, value)
  if (record === 'found') return { found: true, method: 'dns' }
  const file = isWildcard(domain) ? 'missing' : await checkFile(outbound, domain, value)
  if (file === 'found') return { found: true, method: 'file' }
  const reason = record === 'record_missing' && file === 'file_differs' ? file : record
  const certain = { dns: record === 'record_missing' || record === 'record_differs', file: file !== 'unknown' }
  return { found: false, reason, certain }
}

type Outbound = Context['outbound']

async function checkRecord(outbound: Outbound, domain: string, value: string): Promise<'found' | ProofFailure> {
  try {
    const texts = await outbound.readTextRecords(getProofRecordName(domain))
    if (texts.includes(value)) return 'found'
    return texts.length === 0 ? 'record_missing' : 'record_differs'
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return cause.reason === 'timeout' ? 'dns_timeout' : 'dns_failed'
  }
}

async function checkFile(
  outbound: Outbound,
  domain: string,
  value: string,
): Promise<'found' | 'file_differs' | 'missing' | 'unknown'> {
  try {
    const { body } = await outbound.get(`https://${domain}/.well-known/tessera-domain.txt`, fileLimits)
    const lines = body
      .toString('utf8')
      .split(/\r?\n/)
      .map((line) => line.trim())
    return lines.includes(value) ? 'found' : 'file_differs'
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    return absentStatuses.has(cause.status ?? 0) ? 'missing' : 'unknown'
  }
}
