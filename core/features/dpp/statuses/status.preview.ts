import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { type DryRun, formatCount, maxSamples, rehearse, SkippedCounts } from '../../../kernel/dry-run.ts'
import type { Work } from '../../../kernel/work.ts'
import { readDescendants } from '../passports/index.ts'
import { namePassports } from '../selection/index.ts'
import type { StatusChange } from './status.schema.ts'
import { setStatus } from './status.ts'

/**
 * Tells what a change of status would do. Without `cascade` the credentials of the batches and items of a model or batch
 * keep their own status, but whoever resolves these passports is told that of their model or batch.
 * @throws as `setStatus`
 */
export async function previewStatusChange(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  change: StatusChange,
): Promise<DryRun> {
  const { trx } = work
  const { purpose, value, cascade } = change
  const { changed, unchanged, withoutCredential, versions } = await rehearse(work, (rehearsal) =>
    setStatus(rehearsal, caller, id, change),
  )
  const state = purpose === 'revocation' ? 'revoked' : 'suspended'
  const descendants = await readDescendants(trx, caller.organization, id, maxSamples)
  const skipped = new SkippedCounts()
  const present = value ? `It is ${state} already` : `It is not ${state}`
  skipped.add(present, unchanged)
  skipped.add('It has no credential', withoutCredential)
  if (!cascade && changed.length > 0) {
    const kept = `Their own credentials keep their status; their readers see that their model or batch is ${value ? '' : 'no longer '}${state}`
    skipped.add(kept, descendants.count)
  }
  const isAboutDescendants = cascade === true || changed.length > 0
  return {
    matched: 1 + (isAboutDescendants ? descendants.count : 0),
    willChange: changed.length,
    samples: await namePassports(trx, [id, ...(isAboutDescendants ? descendants.ids : [])].slice(0, maxSamples)),
    skipped: skipped.list(),
    warnings:
      changed.length === 0
        ? []
        : [
            `${formatCount(versions, 'version')} of ${changed.length === 1 ? 'its credential' : 'their credentials'} ${value ? 'will be' : 'will no longer be'} ${state}.`,
            ...(purpose === 'revocation' ? ['A revocation is for good: it cannot be certified again.'] : []),
          ],
  }
}
