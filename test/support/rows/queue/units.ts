import type { Knex } from 'knex'
import type { Context } from '../../../../core/kernel/work.ts'

/** The table `units`, which only tests have: jobs leave a row in it for each unit that they do. */
export async function createUnitTable(db: Knex): Promise<void> {
  await db.raw(
    'create table units (job uuid not null, unit int not null, pid int not null, at timestamptz not null default clock_timestamp())',
  )
}

/** Records that a job did a unit in this process. The row is there if and only if the transaction commits. */
export async function recordUnit(trx: Knex, job: string, unit: number): Promise<void> {
  await trx('units').insert({ job, unit, pid: process.pid })
}

export interface Unit {
  unit: number
  pid: number
  at: Date
}

/** Lists the units that a job left, in the order they were done. */
export async function listUnits({ db }: Pick<Context, 'db'>, job: string): Promise<Unit[]> {
  return db('units').where({ job }).orderBy('at').select<Unit[]>('unit', 'pid', 'at')
}

/** Lists for each unit of these organizations which of them it was done for, in the order the units were done. */
export async function listServedOrganizations(db: Knex, organizations: readonly string[]): Promise<string[]> {
  return db('units')
    .join('jobs', 'jobs.id', 'units.job')
    .whereRaw('organization = any(?::uuid[])', [organizations as string[]])
    .orderBy('units.at')
    .pluck<string[]>('organization')
}

/** Counts the units of these organizations: all of them, and each only once however often it was done. */
export async function countUnits(
  db: Knex,
  organizations: readonly string[],
): Promise<{ units: number; different: number }> {
  const [found] = await db('units')
    .join('jobs', 'jobs.id', 'units.job')
    .whereRaw('organization = any(?::uuid[])', [organizations as string[]])
    .select<{ units: number; different: number }[]>(
      db.raw('count(*)::int as units, count(distinct (job, unit))::int as different'),
    )
  if (!found) throw new Error('A count has one row')
  return found
}
