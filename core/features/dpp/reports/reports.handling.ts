import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { PageRequest, PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { namePassports } from '../selection/index.ts'
import { reportColumns, ReportRow } from './reports.model.ts'

/** A report as members of the organization see it. */
export interface PassportReport extends Pick<
  ReportRow,
  'id' | 'application' | 'kind' | 'text' | 'email' | 'handledAt' | 'createdAt'
> {
  /** The passport, by the name that people know it by. */
  passport: { id: string; name: string }
}

/** Lists the reports of the passports of the caller's organization. */
export async function listReports(
  { trx }: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<PassportReport>> {
  const source = createModelSource(ReportRow.query(trx).where('passport_reports.organization', organization))
  const found = await listPage(source, page, reportColumns)
  const passports = await namePassports(trx, [...new Set(found.data.map(({ passport }) => passport))])
  const names = new Map(passports.map(({ id, name }) => [id, name]))
  return { ...found, data: found.data.map((row) => presentReport(row, names.get(row.passport) ?? row.passport)) }
}

const presentReport = (
  { id, application, kind, text, email, handledAt, createdAt, passport }: ReportRow,
  name: string,
): PassportReport => ({ id, application, kind, text, email, handledAt, createdAt, passport: { id: passport, name } })

/**
 * Marks a report of the caller's organization as handled, or as waiting again. What is so already stays as it is.
 * @throws NOT_FOUND
 */
export async function handleReport(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
  isHandled: boolean,
): Promise<void> {
  const row = await ReportRow.query(trx).where({ organization }).findById(id).forUpdate()
  if (!row) throw createNotFoundProblem()
  if ((row.handledAt !== null) === isHandled) return
  await trx('passport_reports')
    .where({ id })
    .update({
      handled_at: isHandled ? trx.fn.now() : null,
      mark: null,
      updated_at: trx.fn.now(),
    })
}
