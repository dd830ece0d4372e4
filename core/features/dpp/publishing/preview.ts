import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { type DryRun, maxSamples, SkippedCounts } from '../../../kernel/dry-run.ts'
import type { PageRequest } from '../../../kernel/page.ts'
import type { Work } from '../../../kernel/work.ts'
import type { JobItem } from '../../../queue/batches/items.ts'
import { classifyUnits, readPassportRows, readSheets, selectForCertification } from '../certificates/index.ts'
import { getCertifiedContent } from '../content/index.ts'
import { type PassportRow, readPassportStatuses } from '../passports/index.ts'
import { findUnits, namePassports, takeBoundedIds } from '../selection/index.ts'
import type { SheetRow } from '../sheets/index.ts'
import { type PublishOptions, selectForPublish } from './publish.ts'

/** The maximum number of passports that one step of a preview reads. */
const batchSize = 500

type Certifiability = 'noPaths' | 'noValues' | 'draft' | 'archived' | 'unchanged' | 'revoked' | 'refused'

/** Why passports are not certified, as it is told to people. */
const certifyReasons: Readonly<Record<Certifiability, string>> = {
  noPaths: 'Their certifiedPaths are empty, so there is nothing to certify',
  noValues: 'None of their certifiedPaths leads to a value, so there is nothing to certify',
  draft: 'They are drafts, which have to be published first',
  archived: 'They are archived',
  unchanged: 'They are certified as they are',
  revoked: 'Their credentials are revoked for good',
  refused: 'Their content cannot be certified; their readiness says why',
}

/** What certifying passports would do. `hosted`: how many of the certified ones host their certificate themselves. */
interface CertificationPreview {
  certified: string[]
  hosted: number
  outcomes: Map<Certifiability, number>
}

/**
 * Tells what publishing the passports that the list parameters select would do.
 * @throws VALIDATION_FAILED as `startPublish`
 */
export async function previewPublish(
  work: Work,
  caller: OrganizationCaller,
  page: PageRequest,
  options: PublishOptions,
): Promise<DryRun> {
  const { skipCertification } = options
  const units = await findUnits(work, (inner) => selectForPublish(inner, caller, page, options))
  const statuses = await readPassportStatuses(work.trx, units)
  const drafts = units.filter((id) => statuses.get(id) === 'draft')
  const skipped = new SkippedCounts()
  for (const id of units) {
    const status = statuses.get(id)
    if (status !== 'draft') skipped.add(status === 'archived' ? 'They are archived' : 'They are published already')
  }
  const warnings: string[] = []
  if (!skipCertification && drafts.length > 0) {
    const preview = await previewCertification(work, caller, drafts, true)
    for (const [outcome, count] of preview.outcomes)
      skipped.add(`Published without being certified: ${lowerFirst(certifyReasons[outcome])}`, count)
    warnings.push(...describeCertification(preview, drafts.length))
  }
  return {
    matched: units.length,
    willChange: drafts.length,
    samples: await namePassports(work.trx, (drafts.length > 0 ? drafts : units).slice(0, maxSamples)),
    skipped: skipped.list(),
    warnings,
  }
}

/**
 * Tells what certifying the passports that the list parameters select would do.
 * @throws VALIDATION_FAILED as `startCertification`
 */
export async function previewCertify(work: Work, caller: OrganizationCaller, page: PageRequest): Promise<DryRun> {
  const units = await findUnits(work, (inner) => selectForCertification(inner, caller, page))
  const preview = await previewCertification(work, caller, units, false)
  const { certified, outcomes } = preview
  const skipped = new SkippedCounts()
  for (const [outcome, count] of outcomes) skipped.add(certifyReasons[outcome], count)
  return {
    matched: units.length,
    willChange: certified.length,
    samples: await namePassports(work.trx, (certified.length > 0 ? certified : units).slice(0, maxSamples)),
    skipped: skipped.list(),
    warnings: units.length > 0 ? describeCertification(preview, units.length) : [],
  }
}

/**
 * Finds out what the job that certifies passports would do with them, without a lock.
 * @param publishes whether the passports are drafts that are published before
 */
async function previewCertification(
  work: Work,
  { organization }: OrganizationCaller,
  passports: readonly string[],
  publishes: boolean,
): Promise<CertificationPreview> {
  const preview: CertificationPreview = { certified: [], hosted: 0, outcomes: new Map() }
  for (let at = 0; at < passports.length;) {
    const batch = await takeBoundedIds(work.trx, passports.slice(at, at + batchSize))
    await previewBatch(work, organization, batch, publishes, preview)
    at += batch.length
  }
  return preview
}

async function previewBatch(
  { trx, context }: Work,
  organization: string,
  passports: readonly string[],
  publishes: boolean,
  preview: CertificationPreview,
): Promise<void> {
  const rows = await readPassportRows(trx, organization, passports, false)
  if (publishes) for (const row of rows.values()) row.status = 'published'
  const getSheet = await readSheets(trx, rows.values(), false)
  const getContent = (row: PassportRow) => getCertifiedContent(row, getSheet(row))
  const units = passports.map((subject, line): JobItem => ({ line, subject }))
  const { due, current, uncertifiable } = await classifyUnits(trx, context, { units, rows, getContent }, false)
  const [dueById, unchanged, empty] = [
    new Map(due.map((one) => [one.row.id, one])),
    new Set(current.map(({ passport }) => passport)),
    new Set(uncertifiable),
  ]
  const getOutcome = (row: PassportRow): Certifiability | null => {
    if (row.status === 'draft' || row.status === 'archived') return row.status
    if (unchanged.has(row.id)) return 'unchanged'
    if (empty.has(row.id)) return hasPaths(row, getSheet(row)) ? 'noValues' : 'noPaths'
    const issue = dueById.get(row.id)?.issue
    return issue ? (issue.code === 'revoked' ? 'revoked' : 'refused') : null
  }
  for (const passport of passports) {
    const row = rows.get(passport)
    if (!row) continue
    const outcome = getOutcome(row)
    if (outcome !== null) preview.outcomes.set(outcome, (preview.outcomes.get(outcome) ?? 0) + 1)
    else {
      preview.certified.push(passport)
      if (dueById.get(passport)?.hosted) preview.hosted++
    }
  }
}

const hasPaths = ({ certifiedPaths }: PassportRow, sheet: SheetRow | null) =>
  certifiedPaths.length > 0 || (sheet?.certifiedPaths.length ?? 0) > 0

/** Describes what is to be known about certifying `total` passports. */
function describeCertification({ certified, hosted, outcomes }: CertificationPreview, total: number): string[] {
  const [main] = [...outcomes].sort(([, one], [, other]) => other - one)
  const warnings: string[] = []
  if (certified.length === 0 && main) {
    const reason = main[1] === total ? lowerFirst(certifyReasons[main[0]]) : 'skipped says why'
    warnings.push(`0 of ${total.toLocaleString('en')} would be certified: ${reason}.`)
  }
  if (hosted > 0) {
    warnings.push(
      `For ${hosted.toLocaleString('en')} of these you host the certificate yourself: only the hash of what it certifies is anchored.`,
    )
  }
  return warnings
}

const lowerFirst = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)
