import type { Knex } from 'knex'

const schema = 'set_back_clock'

/**
 * Creates a second clock of the database, which a test sets back: whoever connects by `createSetBackUrl` reads it as
 * `clock_timestamp()`. Nobody else does, and `now()` stays as it is.
 */
export async function createSetBackClock(db: Knex): Promise<void> {
  await db.raw(`
    create schema ${schema};
    create sequence ${schema}.readings;
    create table ${schema}.state (behind interval not null, is_broken boolean not null);
    insert into ${schema}.state values ('0', false);
    create function ${schema}.clock_timestamp() returns timestamptz language plpgsql as $$
    begin
      perform nextval('${schema}.readings');
      if (select is_broken from ${schema}.state) then raise 'the clock is broken'; end if;
      return pg_catalog.clock_timestamp() - (select behind from ${schema}.state);
    end $$`)
}

export async function dropSetBackClock(db: Knex): Promise<void> {
  await db.raw(`drop schema if exists ${schema} cascade`)
}

/** Creates the address of a database whose connections read the second clock. */
export function createSetBackUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `-c search_path=${schema},pg_catalog,public`)
  return url.href
}

/** Sets the second clock back by so many seconds, counted from the right time. */
export async function setClockBack(db: Knex, seconds: number): Promise<void> {
  await db(`${schema}.state`).update({ behind: db.raw('make_interval(secs => ?)', [seconds]) })
}

/** Breaks the second clock, so that each reading fails, or mends it. */
export async function breakClock(db: Knex, isBroken: boolean): Promise<void> {
  await db(`${schema}.state`).update({ is_broken: isBroken })
}

/** Counts how often somebody has read the second clock, also in vain. */
export async function countClockReadings(db: Knex): Promise<number> {
  const row = await db(`${schema}.readings`).first<{ count: number } | undefined>(
    db.raw('case when is_called then last_value else 0 end as count'),
  )
  return Number(row?.count)
}
