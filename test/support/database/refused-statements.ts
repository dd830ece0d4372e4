import type { Knex } from 'knex'
import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { runAsSuperuser } from '../../../core/embedded/postgres/postgres.roles.ts'
import type { PlatformUnderTest } from '../platform.ts'

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

/** A disk of the database that is full, until the test makes room. */
export interface FullDisk {
  /** Lets applications be written again, as a write may that happens to find room. */
  makeRoomForApplications(): Promise<void>
  /** Lets tables be created again, by which the platform checks whether there is room. */
  makeRoomForTables(): Promise<void>
}

/** Lets PostgreSQL refuse new applications and new tables with the error of a full disk. */
export async function fillDisk({
  dataDir,
  database,
}: Pick<PlatformUnderTest, 'dataDir' | 'database'>): Promise<FullDisk> {
  const run = async (sql: string) => {
    await runAsSuperuser(readCluster(dataDir).record, Number(new URL(database).port), 'tessera', (client) =>
      client.query(sql),
    )
  }
  await run(`
    create function disk_full() returns trigger language plpgsql as
      'begin raise exception $$could not extend file: No space left on device$$ using errcode = $$53100$$; end';
    create trigger disk_full before insert on applications execute function disk_full();
    create function disk_full_ddl() returns event_trigger language plpgsql as
      'begin raise exception $$could not extend file: No space left on device$$ using errcode = $$53100$$; end';
    create event trigger disk_full on ddl_command_start when tag in ('CREATE TABLE AS') execute function disk_full_ddl()`)
  return {
    makeRoomForApplications: () => run('drop trigger disk_full on applications'),
    makeRoomForTables: () => run('drop event trigger disk_full'),
  }
}
