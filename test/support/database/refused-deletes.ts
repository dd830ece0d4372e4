import type { Knex } from 'knex'

/** Deletes that the database refuses for a while. */
export interface RefusedDeletes {
  /** How often it was tried to delete the row, the refused times included. */
  countTries(): Promise<number>
  stop(): Promise<void>
}

/** Lets PostgreSQL refuse the first `times` deletes of the answer that is kept under an Idempotency-Key. */
export async function refuseDeletes(db: Knex, { key, times }: { key: string; times: number }): Promise<RefusedDeletes> {
  // The numbers of a sequence outlive the transactions that fail.
  await db.raw(`
    create sequence refused_deletes;
    create function refuse_delete() returns trigger language plpgsql as $$
      begin
        if nextval('refused_deletes') <= ${times} then raise exception 'not yet'; end if;
        return old;
      end $$;
    create trigger refuse_delete before delete on idempotency for each row when (old.key = '${key}')
      execute function refuse_delete()`)
  return {
    countTries: async () => {
      const { rows } = await db.raw<{ rows: [{ tries: number }] }>(
        'select last_value::int as tries from refused_deletes',
      )
      return rows[0].tries
    },
    stop: async () => {
      await db.raw(`
        drop trigger refuse_delete on idempotency;
        drop function refuse_delete;
        drop sequence refused_deletes`)
    },
  }
}
