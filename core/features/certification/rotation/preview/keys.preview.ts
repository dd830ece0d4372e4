import { createSingleDryRun, type DryRun, formatCount, rehearse, SkippedCounts } from '../../../../kernel/dry-run.ts'
import type { Work } from '../../../../kernel/work.ts'
import type { KeyCompromise, KeyUse, KeyUseReader } from '../../../area.ts'
import { type CertificationKey, createKeyId, type KeyRow, readCertificationKeys } from '../../keys/index.ts'
import { presentKey } from '../keys.present.ts'
import { type KeyRevocationReason, readCertificationKey, revokeKey, rotateKey } from '../keys.rotate.ts'

const nameKey = ({ id, public_key: publicKey }: KeyRow) => ({ id, name: createKeyId(publicKey) })

/**
 * Rotates the key and takes it back: the key that would be made, as the API would show it, and how many transactions
 * would be sent.
 * @throws as `rotateKey`
 */
export function rehearseRotation(
  work: Work,
  organization: string,
): Promise<{ key: CertificationKey; queuedJobs: number }> {
  return rehearse(work, async (rehearsal) => {
    const { key, queuedJobs } = await rotateKey(rehearsal.trx, rehearsal.context, organization)
    return { key: await presentKey(rehearsal.trx, key), queuedJobs }
  })
}

/**
 * Tells what a rotation would do: which key would be replaced, and on which networks that is sent.
 * @throws as `rotateKey`
 */
export async function previewRotation(work: Work, organization: string): Promise<DryRun> {
  const { key, queuedJobs } = await rehearseRotation(work, organization)
  const active = (await readCertificationKeys(work.trx, organization)).find(({ status }) => status === 'active')
  const networks = key.networks.map(({ network }) => network).join(', ')
  const warning =
    queuedJobs > 0
      ? `${formatCount(queuedJobs, 'transaction')} will be sent, on ${networks}; the new key signs once the first is final.`
      : key.status === 'active'
        ? 'No network knows a key of yours, so nothing is sent and the new key signs at once.'
        : 'The new key waits until your DID document has it; only then something is sent.'
  return createSingleDryRun(active ? nameKey(active) : null, [warning])
}

/** What a revocation would do, in numbers. */
export interface RehearsedRevocation extends KeyUse {
  /** The transactions that it would send. */
  queuedJobs: number
  /** The state of the key before it. */
  status: KeyRow['status']
}

/**
 * Revokes a key and takes it back: how many credentials of the key would fail, and what would be sent.
 * @throws as `revokeKey`
 */
export async function rehearseRevocation(
  work: Work,
  organization: string,
  id: string,
  reason: KeyRevocationReason,
  readers: readonly KeyUseReader[],
): Promise<RehearsedRevocation> {
  const { trx, context } = work
  const { key, queuedJobs } = await rehearse(work, (rehearsal) =>
    revokeKey(rehearsal.trx, context, organization, id, reason),
  )
  const before = await readCertificationKey(trx, organization, id)
  const uses: KeyUse[] = []
  for (const readUse of readers)
    uses.push(await readUse(trx, { organization, id }, { before: getCompromise(before), after: getCompromise(key) }))
  const sum = (count: (use: KeyUse) => number) => uses.reduce((total, use) => total + count(use), 0)
  return {
    credentials: sum((use) => use.credentials),
    failing: sum((use) => use.failing),
    alreadyFailing: sum((use) => use.alreadyFailing),
    passports: sum((use) => use.passports),
    samples: uses.flatMap(({ samples }) => samples),
    queuedJobs,
    status: before.status,
  }
}

/**
 * Tells what a revocation would do: how many credentials of the key fail afterwards, with the first ten passports.
 * @throws as `revokeKey`
 */
export async function previewRevocation(...revocation: Parameters<typeof rehearseRevocation>): Promise<DryRun> {
  const rehearsed = await rehearseRevocation(...revocation)
  const { credentials, failing, alreadyFailing: already, passports, samples, queuedJobs, status } = rehearsed
  const skipped = new SkippedCounts()
  skipped.add('They fail already', already)
  skipped.add('They were anchored before the key was compromised', credentials - failing)
  return {
    matched: credentials,
    willChange: failing - already,
    samples,
    skipped: skipped.list(),
    warnings: [
      ...(passports > 0
        ? [`What fails belongs to ${formatCount(passports, 'passport')}, which can be certified again.`]
        : []),
      ...(status === 'active' ? ['It is the active key: another one takes its place.'] : []),
      ...(status === 'pending' ? ['It is the pending key: its rotation ends.'] : []),
      ...(queuedJobs > 0 ? [`${formatCount(queuedJobs, 'transaction')} will be sent.`] : []),
    ],
  }
}

const getCompromise = ({ status, compromised_at: since }: KeyRow): KeyCompromise =>
  status === 'revoked' ? { since } : null
