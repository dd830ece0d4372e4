import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { recordEvent } from '../../events/index.ts'
import { isLocalhost } from './domains.hosts.ts'
import { recordDomainLoss } from './domains.loss.ts'
import { ApplicationDomain } from './domains.model.ts'
import { lockDomain } from './domains.names.ts'
import type { ProofResult } from './domains.proof.ts'

const dayMs = 24 * 60 * 60 * 1000
/**
 * Grace period in milliseconds: how long the proof may be missing before a proven domain is lost or a new domain fails.
 */
const graceMs = 7 * dayMs

export interface DomainCheck {
  domain: ApplicationDomain
  result: ProofResult
  isRequested: boolean
}

/**
 * Stores the result of a check. A proof dates from when it was first seen, so that another check does not make it
 * newer. If several organizations have a proof, the newest counts and the others lose the domain.
 * @returns the row, or undefined if the application no longer has the domain
 */
export async function storeCheckResult(
  trx: Knex,
  context: Context,
  { domain: { id, domain }, result, isRequested }: DomainCheck,
): Promise<ApplicationDomain | undefined> {
  await lockDomain(trx, domain)
  const row = await ApplicationDomain.query(trx).findById(id).whereNull('removed_at').forUpdate()
  if (!row) return undefined
  const now = context.clock.now()
  const change = result.found
    ? await decideOnFoundProof(trx, row, result.method, now)
    : decideOnMissingProof(row, result, now, isRequested)
  const patch = { ...change, checkedAt: now.toISOString(), updatedAt: now.toISOString() }
  await ApplicationDomain.query(trx).findById(id).patch(patch)
  await trx('application_domains')
    .where({ id })
    .update({
      checking_until: null,
      next_check_at: new Date(now.getTime() + dayMs).toISOString(),
    })
  if (row.status === 'proven' && change.status !== 'proven') await recordDomainLoss(trx, context, row, change.reason)
  if (change.status === 'proven') await loseOlderProofs(trx, context, row)
  if (row.status !== 'proven' && change.status === 'proven') await recordEvent(trx, createDomainEvent(row))
  return ApplicationDomain.query(trx).findById(id)
}

const createDomainEvent = ({ organization, application }: ApplicationDomain) =>
  ({ organization, application, subject: 'application', type: 'update' }) as const

type DomainChange = Pick<ApplicationDomain, 'status' | 'reason' | 'provenAt' | 'method' | 'missingSince'>

/**
 * Decides the new state of a domain whose proof was found. Names of this machine need no proof: the first organization
 * that lists one keeps it.
 */
async function decideOnFoundProof(
  trx: Knex,
  row: ApplicationDomain,
  method: ApplicationDomain['method'],
  now: Date,
): Promise<DomainChange> {
  const provenAt = row.provenAt ?? now.toISOString()
  const others = ApplicationDomain.query(trx)
    .where({ domain: row.domain, status: 'proven' })
    .whereNot('organization', row.organization)
  if (!isLocalhost(row.domain)) void others.where('proven_at', '>=', provenAt)
  if (!(await others.first())) return { status: 'proven', reason: null, provenAt, method, missingSince: null }
  const status = row.provenAt === null ? 'failed' : 'lost'
  return { status, reason: 'proven_by_another', provenAt: row.provenAt, method, missingSince: null }
}

/**
 * Decides the new state of a domain whose proof was not found. Unless the domain stays proven, a proof that is
 * certainly gone loses its date, so that publishing it again counts as a new proof.
 */
function decideOnMissingProof(
  row: ApplicationDomain,
  { reason, certain }: Extract<ProofResult, { found: false }>,
  now: Date,
  isRequested: boolean,
): DomainChange {
  const missingSince = row.missingSince ?? now.toISOString()
  const isOverdue = now.getTime() - Date.parse(missingSince) >= graceMs
  const isCertainlyGone = certain.dns && (row.method !== 'file' || certain.file)
  const { status, provenAt, method } = row
  const unchanged = { reason, missingSince, provenAt, method }
  if (status === 'proven' && reason !== 'not_allowed' && !isOverdue) return { ...unchanged, status }
  if (status === 'proven') return { ...unchanged, status: 'lost', ...(isCertainlyGone && noProof) }
  const next =
    status === 'lost' || (status === 'pending' && !isRequested && !isOverdue && reason !== 'not_allowed')
      ? status
      : 'failed'
  return { ...unchanged, status: next, ...(isCertainlyGone && noProof) }
}

const noProof = { provenAt: null, method: null }

/** Takes a domain from the other organizations, whose proofs are older. */
async function loseOlderProofs(
  trx: Knex,
  context: Context,
  { domain, organization }: ApplicationDomain,
): Promise<void> {
  const others = await ApplicationDomain.query(trx)
    .where({ domain, status: 'proven' })
    .whereNot('organization', organization)
    .forUpdate()
  for (const other of others) {
    await ApplicationDomain.query(trx).findById(other.id).patch({
      status: 'lost',
      reason: 'proven_by_another',
      missingSince: null,
      updatedAt: context.clock.now().toISOString(),
    })
    await recordDomainLoss(trx, context, other, 'proven_by_another')
  }
}
