import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem, createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { updateStatusBits } from '../../certification/index.ts'
import { lockPassportIds, readDescendants, recordEventsByIds } from '../passports/index.ts'
import { takeBoundedIds } from '../selection/index.ts'
import { insertStatusChanges, readLastChanges, readListPlaces } from './status.rows.ts'
import { maxCascade, type CredentialStatus, type StatusChange } from './status.schema.ts'

/** The maximum number of passports whose events are recorded at once. */
const eventBatchSize = 500

/** What a change of status came to, in numbers of passports besides the answer. */
export interface StatusOutcome {
  status: CredentialStatus
  /** The passports whose status changed, that of the request first. */
  changed: string[]
  /** Passports that had the wanted status before. */
  unchanged: number
  /** Passports of which we signed no credential. */
  withoutCredential: number
  /** The number of versions of the credentials that changed. */
  versions: number
}

/**
 * Revokes or suspends the credentials of a passport, or lifts their suspension; with `cascade` those of its batches and
 * items that anybody can read, too. The change applies to every version that was ever signed, because readers may hold
 * any of them, and to versions that are signed later. It also works for an archived passport, whose credentials still
 * exist. A revocation is final. A passport that has the wanted status stays as it is, keeps its reason, and gets no
 * event.
 * Source: W3C Bitstring Status List 1.0, section 2.2.
 * @throws NOT_FOUND
 * @throws VALIDATION_FAILED at `id` if we signed no credential of the passport (a draft, a passport that was never
 * certified, a certificate that its organization hosts), at `value` for an attempt to lift a revocation, and at
 * `cascade` for more than 10,000 batches and items
 */
export async function setStatus(
  work: Work,
  { organization }: OrganizationCaller,
  id: string,
  { purpose, value, reason, cascade }: StatusChange,
): Promise<StatusOutcome> {
  const { trx } = work
  const descendants = cascade ? await listDescendants(work, organization, id) : []
  const locked = new Set(await lockPassportIds(trx, organization, [id, ...descendants]))
  if (!locked.has(id)) throw createNotFoundProblem()
  const passports = [id, ...descendants.filter((one) => locked.has(one))]
  const places = await readListPlaces(trx, passports)
  if (!places.has(id) && !(cascade && places.size > 0)) {
    const message = 'has no credential that could be revoked or suspended'
    throw createValidationProblem([{ path: 'id', code: 'not_certified', message }])
  }
  const last = await readLastChanges(trx, passports)
  const isSet = (passport: string, which: StatusChange['purpose']) =>
    last.some((change) => change.passport === passport && change.purpose === which && change.value)
  if (purpose === 'revocation' && !value && isSet(id, purpose)) {
    throw createValidationProblem([
      { path: 'value', code: 'final', message: 'has to stay true: a revocation is for good' },
    ])
  }
  const set = new Set(last.filter((change) => change.purpose === purpose && change.value).map((row) => row.passport))
  const isFinal = purpose === 'revocation' && !value
  const certified = passports.filter((one) => places.has(one))
  const changed = certified.filter((one) => set.has(one) !== value && !isFinal)
  const changedPlaces = changed.flatMap((one) => places.get(one) ?? [])
  const times = await insertStatusChanges(trx, organization, changed, { purpose, value, reason })
  await updateStatusBits(trx, purpose, value, changedPlaces)
  await recordUpdates(trx, changed)
  const before = last.find((change) => change.passport === id && change.purpose === purpose)
  const changedAt = times.get(id) ?? before?.created_at ?? null
  const states = (which: StatusChange['purpose']) => (which === purpose && times.has(id) ? value : isSet(id, which))
  return {
    status: {
      passport: id,
      purpose,
      value: states(purpose),
      reason: times.has(id) ? reason : (before?.reason ?? null),
      changedAt: changedAt?.toISOString() ?? null,
      revoked: states('revocation'),
      suspended: states('suspension'),
      ...(cascade && { changed: changed.length }),
    },
    changed,
    unchanged: certified.length - changed.length,
    withoutCredential: passports.length - certified.length,
    versions: changedPlaces.length,
  }
}

/** Records the events of many passports in batches, because their whole content is in memory for that. */
async function recordUpdates(trx: Knex, passports: readonly string[]): Promise<void> {
  for (let at = 0; at < passports.length;) {
    const ids = await takeBoundedIds(trx, passports.slice(at, at + eventBatchSize))
    await recordEventsByIds(trx, 'update', ids)
    at += ids.length
  }
}

async function listDescendants({ trx }: Work, organization: string, id: string): Promise<string[]> {
  const { count, ids } = await readDescendants(trx, organization, id, maxCascade)
  if (count <= maxCascade) return ids
  const message = `would take more than ${maxCascade.toLocaleString('en')} batches and items along`
  throw createValidationProblem([{ path: 'cascade', code: 'too_many', message }])
}
