import type { Knex } from 'knex'
import { maxSamples } from '../../../kernel/dry-run.ts'
import type { Issue } from '../../../kernel/problem.ts'
import { compileFields } from '../fields/index.ts'
import type { SheetRow } from './sheets.model.ts'
import { validateCertifiedPaths, type SheetContent } from './sheets.rules.ts'
import { widensFields } from './compatibility.ts'

/** The number of passports that one statement reads. */
const chunkSize = 500
/**
 * A generous limit for the duration of a transaction that creates passports. The creation time of a passport is the
 * start of its transaction, which can be earlier than the commit by as much as this.
 */
const slackInterval = '10 minutes'

/** The parts of a sheet that its passports are validated against. */
export type Definitions = Pick<SheetContent, 'productFields' | 'passportsFields'>

/** A passport that does not fit new definitions, and the first issue. */
export interface NonconformingPassport {
  id: string
  name: string
  issue: Issue
}

/** How many passports of a sheet do not fit new definitions, with samples. */
export interface Conformance {
  passports: number
  nonconforming: number
  samples: NonconformingPassport[]
}

/** The members of a passport that its validation needs. */
interface PassportValuesRow {
  id: string
  place: string
  reference: string | null
  fields: Record<string, unknown>
  certified_paths: string[]
}

/** Creates a validator of passports from the definitions of a sheet. */
export function createPassportValidator(definitions: Definitions) {
  const validateFields = compileFields(definitions.passportsFields)
  return (fields: Record<string, unknown>, certifiedPaths: readonly string[]): Issue[] => [
    ...validateFields(fields, 'fields'),
    ...validateCertifiedPaths(definitions, certifiedPaths),
  ]
}

/**
 * Checks whether everything that fits the present definitions also fits the new ones, so that no passport has to be
 * checked.
 */
export const isCompatible = (before: Definitions, after: Definitions): boolean =>
  widensFields(before.passportsFields, after.passportsFields) && widensFields(before.productFields, after.productFields)

/**
 * Counts the passports of a sheet that fit the present definitions but not the new ones, in two parts: first all that
 * are older than `slackInterval`, without blocking anybody; then, after `holdSheet` has locked the sheet, those that
 * were created later.
 */
export async function checkConformance(
  trx: Knex,
  sheet: SheetRow,
  after: Definitions,
  holdSheet: () => Promise<unknown>,
): Promise<Conformance> {
  const check = new ConformanceCheck(sheet, after)
  const {
    rows: [clock],
  } = await trx.raw<{ rows: { at: string }[] }>(`select (now() - interval '${slackInterval}')::text as at`)
  const since = clock?.at ?? '-infinity'
  await check.checkPeriod(trx, '-infinity', since)
  await holdSheet()
  await check.checkPeriod(trx, since, 'infinity')
  return check.conformance
}

class ConformanceCheck {
  readonly conformance: Conformance = { passports: 0, nonconforming: 0, samples: [] }
  readonly #sheet: SheetRow
  readonly #validateBefore: ReturnType<typeof createPassportValidator>
  readonly #validateAfter: ReturnType<typeof createPassportValidator>

  constructor(sheet: SheetRow, after: Definitions) {
    this.#sheet = sheet
    this.#validateBefore = createPassportValidator(sheet)
    this.#validateAfter = createPassportValidator(after)
  }

  /** Checks the passports that were created from one instant on (included) until another (excluded). */
  async checkPeriod(trx: Knex, from: string, until: string): Promise<void> {
    for (let [place, id] = [from, '00000000-0000-0000-0000-000000000000']; ;) {
      const { rows } = await trx.raw<{ rows: PassportValuesRow[] }>(
        `select id, created_at::text as place, reference, fields, certified_paths from passports
         where sheet = ? and (created_at, id) > (?::timestamptz, ?::uuid) and created_at < ?::timestamptz
         order by created_at, id limit ?`,
        [this.#sheet.id, place, id, until, chunkSize],
      )
      for (const row of rows) this.#checkPassport(row)
      const last = rows.at(-1)
      if (!last || rows.length < chunkSize) return
      ;[place, id] = [last.place, last.id]
    }
  }

  /**
   * Checks one passport. A passport that keeps an older version because it never fitted the present one is not affected
   * by the change.
   */
  #checkPassport({ id, reference, fields, certified_paths: paths }: PassportValuesRow): void {
    const { conformance } = this
    conformance.passports++
    const [issue] = this.#validateAfter(fields, paths)
    if (!issue || this.#validateBefore(fields, paths).length > 0) return
    conformance.nonconforming++
    if (conformance.samples.length < maxSamples)
      conformance.samples.push({ id, name: reference ?? this.#sheet.name, issue })
  }
}
