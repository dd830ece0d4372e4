import type { Knex } from 'knex'

/** Fails a job as its worker does after these attempts. */
export async function failJob(db: Knex, job: string, { attempts }: { attempts: number }): Promise<void> {
  await db('jobs').where({ id: job }).update({ status: 'failed', attempts })
}

/** Writes the address of a person into the result and the errors of a job, wherever a job of any kind can have it. */
export async function mentionInJob(db: Knex, job: string, address: string): Promise<void> {
  const result = JSON.stringify({ [address]: [`to <${address}>`] })
  await db('jobs')
    .where({ id: job })
    .update({
      result: db.raw(`coalesce(result, '{}') || ?::jsonb`, [result]),
      errors: JSON.stringify([
        {
          line: 1,
          path: `fields.owners[0].${address}.name`,
          code: 'unknown_member',
          message: `${address} is no field`,
        },
      ]),
    })
}
