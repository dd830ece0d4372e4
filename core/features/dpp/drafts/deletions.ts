import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createSingleDryRun, type DryRun, formatCount, rehearse } from '../../../kernel/dry-run.ts'
import type { Work } from '../../../kernel/work.ts'
import { countCertificates } from '../certificates/index.ts'
import { deletePassport, type Precondition } from '../passports/index.ts'
import { namePassports } from '../selection/index.ts'
import { deleteSheet } from './sheets.ts'

/**
 * Tells what deleting a passport would do.
 * @throws as `deletePassport`
 */
export async function previewPassportDeletion(
  work: Work,
  caller: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<DryRun> {
  const { status } = await rehearse(work, (rehearsal) => deletePassport(rehearsal, caller, id, precondition))
  const versions = await countCertificates(work.trx, id)
  const [sample = null] = await namePassports(work.trx, [id])
  return createSingleDryRun(sample, [
    ...(status === 'draft' ? [] : [`It is ${status}: its page and the links to it will lead nowhere.`]),
    ...(versions > 0 ? [`Its certificate goes with it, in ${formatCount(versions, 'version')}.`] : []),
  ])
}

/**
 * Tells what deleting a sheet would do.
 * @throws as `deleteSheet`
 */
export async function previewSheetDeletion(work: Work, id: string, precondition: Precondition): Promise<DryRun> {
  const { name, schemaVersion } = await rehearse(work, (rehearsal) => deleteSheet(rehearsal, id, precondition))
  const earlier = schemaVersion - 1
  return createSingleDryRun(
    { id, name },
    earlier > 0 ? [`${formatCount(earlier, 'earlier version')} of its definitions go with it.`] : [],
  )
}
