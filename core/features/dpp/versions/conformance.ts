import type { Knex } from 'knex'
import { maxSamples } from '../../../kernel/dry-run.ts'
import type { Violation } from '../../../kernel/problem.ts'
import { compileFields } from '../fields.ts'
import { judgeCertifiedPaths } from '../passports.rules.ts'
import type { SheetRow } from '../sheets.model.ts'
import type { SheetContent } from '../sheets.rules.ts'
import { widensFields } from './widens.ts'

/** Passports that one statement reads. */
const portion = 500
/** Minutes that a transaction which makes passports can last, generously: what one makes is older than its commit. */
const slack = '10 minutes'

/** What of a sheet passports are judged by. */
export type Definitions = Pick<SheetContent, 'productFields' | 'passportsFields'>

/** A passport that does not fit new definitions, and the first reason. */
export interface Misfit { id: string; name: string; violation: Violation }

/** How the passports of a sheet stand to new definitions. */
export interface Conformance {
  passports: number
  misfits: number
  samples: Misfit[]
}

/** What is left of a passport for those who judge it. */
interface JudgedPassport {
  id: string
  place: string
  reference: string | null
  fields: Record<string, unknown>
  certified_paths: string[]
}

/** A validator of passports by definitions. */
export function passportJudge(definitions: Definitions) {
  const judgeFields = compileFields(definitions.passportsFields)
  return (fields: Record<string, unknown>, certifiedPaths: readonly string[]): Violation[] =>
    [...judgeFields(fields, 'fields'), ...judgeCertifiedPaths(definitions, certifiedPaths)]
}

/** Whether no passport has to be looked at: what fits the definitions in force fits the new ones. */
export const isCompatible = (before: Definitions, after: Definitions): boolean =>
  widensFields(before.passportsFields, after.passportsFields) && widensFields(before.productFields, after.productFields)

/**
 * Counts the passports of a sheet that fit the definitions in force and not the new ones, in two parts: most without
 * holding anybody up, and after `hold`, which keeps the sheet as it is, those that were made lately.
 */
export async function judgeConformance(
  trx: Knex, sheet: SheetRow, after: Definitions, hold: () => Promise<unknown>,
): Promise<Conformance> {
  const judgement = new Judgement(sheet, after)
  const { rows: [clock] } = await trx.raw<{ rows: { at: string }[] }>(`select (now() - interval '${slack}')::text as at`)
  const since = clock?.at ?? '-infinity'
  await judgement.look(trx, '-infinity', since)
  await hold()
  await judgement.look(trx, since, 'infinity')
  return judgement.found
}

class Judgement {
  readonly found: Conformance = { passports: 0, misfits: 0, samples: [] }
  readonly #sheet: SheetRow
  readonly #judgeBefore: ReturnType<typeof passportJudge>
  readonly #judgeAfter: ReturnType<typeof passportJudge>

  constructor(sheet: SheetRow, after: Definitions) {
    this.#sheet = sheet
    this.#judgeBefore = passportJudge(sheet)
    this.#judgeAfter = passportJudge(after)
  }

  /** Judges what was made from one instant on, the instant included, until before another. */
  async look(trx: Knex, from: string, until: string): Promise<void> {
    for (let [place, id] = [from, '00000000-0000-0000-0000-000000000000']; ;) {
      const { rows } = await trx.raw<{ rows: JudgedPassport[] }>(
        `select id, created_at::text as place, reference, fields, certified_paths from passports
         where sheet = ? and (created_at, id) > (?::timestamptz, ?::uuid) and created_at < ?::timestamptz
         order by created_at, id limit ?`, [this.#sheet.id, place, id, until, portion])
      for (const row of rows) this.#judge(row)
      const last = rows.at(-1)
      if (!last || rows.length < portion) return
      ;[place, id] = [last.place, last.id]
    }
  }

  /** One that keeps an older version, as it never fitted the one in force, is not touched by the change. */
  #judge({ id, reference, fields, certified_paths: paths }: JudgedPassport): void {
    const { found } = this
    found.passports++
    const [violation] = this.#judgeAfter(fields, paths)
    if (!violation || this.#judgeBefore(fields, paths).length > 0) return
    found.misfits++
    if (found.samples.length < maxSamples) found.samples.push({ id, name: reference ?? this.#sheet.name, violation })
  }
}
