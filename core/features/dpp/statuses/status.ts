import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { updateStatusBits } from '../../certification/index.ts'
import { lockPassport, recordEventsByIds } from '../passports/index.ts'
import { insertStatusChange, readLastChanges, readListPlaces } from './status.rows.ts'
import type { CredentialStatus, StatusChange } from './status.schema.ts'

/**
 * Revokes or suspends the credentials of a passport, or lifts their suspension. The change applies to every version
 * that was ever signed, because readers may hold any of them, and to versions that are signed later. It also works for
 * an archived passport, whose credentials still exist. A revocation is final. A request for the present status changes
 * nothing, keeps the reason, and leaves no event.
 * Source: W3C Bitstring Status List 1.0, section 2.2.
 * @throws NOT_FOUND
 * @throws VALIDATION_FAILED at `id` if we signed no credential of the passport (a draft, a passport that was never
 * certified, a certificate that its organization hosts), and at `value` for an attempt to lift a revocation
 */
export async function setStatus(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  { purpose, value, reason }: StatusChange,
): Promise<CredentialStatus> {
  const { trx } = work
  const { organization } = await lockPassport(work, caller, id)
  const places = await readListPlaces(trx, id)
  if (places.length === 0) {
    const message = 'has no credential that could be revoked or suspended'
    throw createValidationProblem([{ path: 'id', code: 'not_certified', message }])
  }
  const last = await readLastChanges(trx, [id])
  const before = last.find((change) => change.purpose === purpose)
  if (purpose === 'revocation' && before?.value && !value) {
    throw createValidationProblem([
      { path: 'value', code: 'final', message: 'has to stay true: a revocation is for good' },
    ])
  }
  const isSet = (which: StatusChange['purpose']) =>
    which === purpose ? value : last.some((change) => change.purpose === which && change.value)
  const states = { revoked: isSet('revocation'), suspended: isSet('suspension') }
  if ((before?.value ?? false) === value) {
    const changedAt = before?.created_at.toISOString() ?? null
    return { passport: id, purpose, value, reason: before?.reason ?? null, changedAt, ...states }
  }
  const changedAt = await insertStatusChange(trx, organization, { passport: id, purpose, value, reason })
  await updateStatusBits(trx, purpose, value, places)
  await recordEventsByIds(trx, 'update', [id])
  return { passport: id, purpose, value, reason, changedAt: changedAt.toISOString(), ...states }
}
