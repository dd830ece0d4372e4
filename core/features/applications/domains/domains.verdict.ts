import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { recordEvent } from '../../events/index.ts'
import { isLocalhost } from './domains.hosts.ts'
import { loseDomain } from './domains.loss.ts'
import { ApplicationDomain } from './domains.model.ts'
import { lockDomain } from './domains.names.ts'
import type { ProofResult } from './domains.proof.ts'

const dayMs = 24 * 60 * 60 * 1000
/** How long a proof may be out of sight before the domain is lost, and a new domain is waited for. */
const graceMs = 7 * dayMs

export interface Checked { domain: ApplicationDomain; result: ProofResult; asked: boolean }

/**
 * Keeps what a check found. A proof counts from when it was first seen, so that asking again makes none newer; where
 * several organizations have one, the newest counts and the others have lost the domain.
 * @returns the row, or undefined where the application names the domain no longer
 */
export async function keepResult(
  trx: Knex, context: Context, { domain: { id, domain }, result, asked }: Checked,
): Promise<ApplicationDomain | undefined> {
  await lockDomain(trx, domain)
  const row = await ApplicationDomain.query(trx).findById(id).whereNull('removed_at').forUpdate()
  if (!row) return undefined
  const now = context.clock.now()
  const change = result.found ? await changeOfFound(trx, row, result.method, now) : changeOfMissing(row, result, now, asked)
  const checked = { ...change, checkedAt: now.toISOString(), updatedAt: now.toISOString() }
  await ApplicationDomain.query(trx).findById(id).patch(checked)
  await trx('application_domains').where({ id }).update({
    checking_until: null, next_check_at: new Date(now.getTime() + dayMs).toISOString(),
  })
  if (row.status === 'proven' && change.status !== 'proven') await loseDomain(trx, context, row, change.reason)
  if (change.status === 'proven') await takeFromOthers(trx, context, row)
  if (row.status !== 'proven' && change.status === 'proven') await recordEvent(trx, eventOf(row))
  return ApplicationDomain.query(trx).findById(id)
}

const eventOf = ({ organization, application }: ApplicationDomain) =>
  ({ organization, application, subject: 'application', type: 'update' }) as const

type Change = Pick<ApplicationDomain, 'status' | 'reason' | 'provenAt' | 'method' | 'missingSince'>

/** Decides on a domain whose proof was found. Names of this machine need none: the first who named one keeps it. */
async function changeOfFound(
  trx: Knex, row: ApplicationDomain, method: ApplicationDomain['method'], now: Date,
): Promise<Change> {
  const provenAt = row.provenAt ?? now.toISOString()
  const others = ApplicationDomain.query(trx).where({ domain: row.domain, status: 'proven' })
    .whereNot('organization', row.organization)
  if (!isLocalhost(row.domain)) void others.where('proven_at', '>=', provenAt)
  if (!await others.first()) return { status: 'proven', reason: null, provenAt, method, missingSince: null }
  const status = row.provenAt === null ? 'failed' : 'lost'
  return { status, reason: 'proven_by_another', provenAt: row.provenAt, method, missingSince: null }
}

/** Decides on a domain whose proof was not found. What was lost needs a proof that is made anew. */
function changeOfMissing(
  row: ApplicationDomain, { reason, certain }: Extract<ProofResult, { found: false }>, now: Date, asked: boolean,
): Change {
  const missingSince = row.missingSince ?? now.toISOString()
  const long = now.getTime() - Date.parse(missingSince) >= graceMs
  const gone = certain.dns && (row.method !== 'file' || certain.file)
  const { status, provenAt, method } = row
  const kept = { reason, missingSince, provenAt, method }
  if (status === 'proven' && reason !== 'not_allowed' && !long) return { ...kept, status }
  if (status === 'proven') return { ...kept, status: 'lost', ...(gone && forgotten) }
  const next = status === 'lost' || (status === 'pending' && !asked && !long && reason !== 'not_allowed') ? status : 'failed'
  return { ...kept, status: next, ...(gone && forgotten) }
}

const forgotten = { provenAt: null, method: null }

/** Takes a domain from the organizations whose proof is older. */
async function takeFromOthers(trx: Knex, context: Context, { domain, organization }: ApplicationDomain): Promise<void> {
  const others = await ApplicationDomain.query(trx).where({ domain, status: 'proven' })
    .whereNot('organization', organization).forUpdate()
  for (const other of others) {
    await ApplicationDomain.query(trx).findById(other.id).patch({
      status: 'lost', reason: 'proven_by_another', missingSince: null, updatedAt: context.clock.now().toISOString(),
    })
    await loseDomain(trx, context, other, 'proven_by_another')
  }
}
