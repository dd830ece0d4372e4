import type { Knex } from 'knex'

/** What the slices of an import count together. */
export interface SliceSums {
  slices: number
  total: number
  completed: number
  failed: number
}

/** Sums up what the slices of an import count. */
export async function sumSlices(db: Knex, job: string): Promise<SliceSums> {
  const { rows } = await db.raw<{ rows: [SliceSums] }>(
    `select count(*)::int as slices, sum(j.total)::int as total, sum(j.completed)::int as completed, sum(j.failed)::int as failed
     from imports i join jobs j on j.id = i.job where i.parent = ?`,
    [job],
  )
  return rows[0]
}

/** Counts the keys by which imports of an organization know doubles within their own file. */
export async function countImportKeys(db: Knex, organization: string): Promise<number> {
  const [row] = await db('import_keys')
    .join('imports', 'imports.job', 'import_keys.job')
    .where({ organization })
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** What the database says of one import. */
export interface ImportCounts {
  status: string
  /** Rows that the job, and its slices together, count as found, as done, and as failed. */
  total: number
  completed: number
  failed: number
  slices: { total: number; completed: number; failed: number }
  passports: number
  /** References that more than one passport has, or that have not exactly one event of their creation. */
  doubled: number
  untold: number
  /** What lists count. */
  counted: number
  /** Errors in the report. */
  errors: number
  /** Passports that the structure job should know and does not, and what it counts. */
  unstructured: number
  structured: number
  /** Pieces of the file that are left. */
  pieces: number
}

/** Counts what an import of an application of its own has made, where it is kept. */
export async function readImportCounts(
  db: Knex,
  { job, application }: { job: string; application: string },
): Promise<ImportCounts> {
  const {
    rows: [found],
  } = await db.raw<{ rows: ImportCounts[] }>(
    `with mine as materialized (select * from passports where application = :application), create_events as (
       select passport_id as id, count(*) from events where application = :application and type = 'create' and subject = 'dppPassport' group by 1)
     select status, total, completed, failed,
       (select json_build_object('total', sum(j.total), 'completed', sum(j.completed), 'failed', sum(j.failed))
        from imports i join jobs j on j.id = i.job where i.parent = :job) as slices,
       (select count(*)::int from mine) as passports,
       (select count(*)::int from (select from mine group by reference having count(*) > 1) as twice) as doubled,
       (select count(*)::int from mine left join create_events using (id) where create_events.count is distinct from 1) as untold,
       (select coalesce(sum(delta), 0)::int from passport_counts
        where dimension = 'application.id' and value = cast(cast(:application as uuid) as text)) as counted,
       (select count(*)::int from import_errors where job = :job) as errors,
       (select count(*)::int from mine where structure_job_status is distinct from 'completed'
          and not exists (select from job_items i where i.subject = mine.id and i.step = 'structure')) as unstructured,
       (select coalesce(sum(s.total), 0)::int from jobs s where s.id in (select structure_job from mine)) as structured,
       (select count(*)::int from import_pieces p join import_uploads u on u.id = p.upload where u.job = :job) as pieces
     from jobs where id = :job`,
    { job, application },
  )
  if (!found) throw new Error(`There is no import ${job}`)
  return found
}
