import type { Knex } from 'knex'
import { writeJobProgress, type JobProgressOptions } from '../queue/job-progress.ts'

/** Writes how many bytes of an import's file are done, and how far its job is, in one transaction. */
export async function advanceImport(
  db: Knex,
  id: string,
  { doneBytes, ...progress }: JobProgressOptions & { doneBytes: number },
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx('imports').where({ job: id }).update({ bytes_done: doneBytes })
    await writeJobProgress(trx, id, progress)
  })
}
