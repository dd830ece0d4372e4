import type { OrganizationCaller } from '../../kernel/caller.ts'
import { invalid } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { markPlaces } from '../certification/index.ts'
import { recordEventsOf } from './passports.events.ts'
import { lockPassport } from './passports.ts'
import { keepChange, lastChanges, placesOf } from './status.rows.ts'
import type { CredentialStatus, StatusChange } from './status.schema.ts'

/**
 * Revokes the credentials of a passport, or suspends them, or lifts the suspension: of every version that was ever
 * signed, as readers may hold any of them; what is signed later begins with the same status. Also of an archived
 * passport, whose credentials go on existing. A revocation is final. What is so already stays as it is, with the reason
 * it has, and leaves no event. Source: W3C Bitstring Status List 1.0, section 2.2.
 * @throws NOT_FOUND, VALIDATION_FAILED at `id` where no credential of ours was signed (a draft, one that was never
 * certified, a certificate that its organization hosts), at `value` for the end of a revocation
 */
export async function setStatus(
  work: Work, caller: OrganizationCaller, id: string, { purpose, value, reason }: StatusChange,
): Promise<CredentialStatus> {
  const { trx } = work
  const { organization } = await lockPassport(work, caller, id)
  const places = await placesOf(trx, id)
  if (places.length === 0) {
    const message = 'has no credential that could be revoked or suspended'
    throw invalid([{ path: 'id', code: 'not_certified', message }])
  }
  const last = await lastChanges(trx, [id])
  const before = last.find((change) => change.purpose === purpose)
  if (purpose === 'revocation' && before?.value && !value) {
    throw invalid([{ path: 'value', code: 'final', message: 'has to stay true: a revocation is for good' }])
  }
  const isSet = (which: StatusChange['purpose']) =>
    which === purpose ? value : last.some((change) => change.purpose === which && change.value)
  const states = { revoked: isSet('revocation'), suspended: isSet('suspension') }
  if ((before?.value ?? false) === value) {
    const changedAt = before?.created_at.toISOString() ?? null
    return { passport: id, purpose, value, reason: before?.reason ?? null, changedAt, ...states }
  }
  const changedAt = await keepChange(trx, organization, { passport: id, purpose, value, reason })
  await markPlaces(trx, purpose, value, places)
  await recordEventsOf(trx, 'update', [id])
  return { passport: id, purpose, value, reason, changedAt: changedAt.toISOString(), ...states }
}
