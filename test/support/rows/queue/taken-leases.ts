import type { Knex } from 'knex'

/** Lets the database note from now on which worker takes which job: a job keeps only the last one. */
export async function noteLeases(db: Knex): Promise<void> {
  await db.raw(`
    create table leases_taken (job uuid not null, worker int not null);
    create function note_lease() returns trigger language plpgsql as $$
    begin
      insert into leases_taken values (new.id, new.lease_worker);
      return null;
    end $$;
    create trigger note_lease after update of lease_holder on jobs for each row
      when (new.lease_worker is not null and new.lease_holder is distinct from old.lease_holder)
      execute function note_lease()`)
}

/** Counts the runs of jobs that each worker has taken since `noteLeases`. */
export async function countRunsByWorker(db: Knex): Promise<number[]> {
  const rows = await db('leases_taken').groupBy('worker').count<{ runs: string }[]>({ runs: '*' })
  return rows.map(({ runs }) => Number(runs))
}
