import type { DirectDatabase, Statement } from '../../../database/connection.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'

/** The SQL of all organizations with the time zones in which their days begin: `id`, `time_zone`. */
export const organizationZonesSql = 'select organizations.id, organizations.time_zone from organizations'

/** The days of an organization: its time zone, and which day it is there, as `YYYY-MM-DD`. */
export interface OrganizationDays {
  timeZone: string
  today: string
}

const daysStatement: Statement = {
  name: 'organization_days',
  text: `select time_zone as "timeZone", (now() at time zone time_zone)::date::text as today from organizations where id = $1`,
}

/** Reads the time zone of an organization and its day. @throws NOT_FOUND */
export async function readOrganizationDays(direct: DirectDatabase, organization: string): Promise<OrganizationDays> {
  const [row] = await direct.queryRows<OrganizationDays>(daysStatement, [organization])
  if (!row) throw createNotFoundProblem()
  return row
}
