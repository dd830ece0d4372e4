import type { Knex } from 'knex'

/** Ends what holds or refuses writes. */
export type Release = () => Promise<void>

/** The name of what one organization is held up by. */
const formatName = (word: string, organization: string) => `${word}_${organization.replaceAll('-', '')}`

/**
 * Puts off the jobs of an organization that begin from now on, so that a test changes things before they run.
 * @returns the function that lets them run
 */
export async function holdNewJobs(db: Knex, organization: string): Promise<Release> {
  const name = formatName('held', organization)
  await db.raw(`create function ${name}() returns trigger language plpgsql as $$ begin new.due_at := now() + interval '1 h';
    return new; end $$; create trigger ${name} before insert on jobs for each row
    when (new.organization = '${organization}') execute function ${name}()`)
  return async () => {
    await db.raw(`drop trigger ${name} on jobs; drop function ${name}()`)
    await db('jobs').where({ organization, status: 'pending' }).update({ due_at: db.fn.now() })
  }
}

/**
 * Lets PostgreSQL refuse every certificate of an organization, so that jobs which certify fail.
 * @returns the function that ends that
 */
export async function refuseCertificates(db: Knex, organization: string): Promise<Release> {
  const name = formatName('broken', organization)
  await db.raw(`create function ${name}() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
    create trigger ${name} before insert on passport_credentials for each row
    when (new.organization = '${organization}') execute function ${name}()`)
  return async () => {
    await db.raw(`drop trigger ${name} on passport_credentials; drop function ${name}()`)
  }
}

/** Lets everybody wait who would write a job of this organization. @returns the function that lets them go on */
export async function holdJobs(db: Knex, organization: string): Promise<Release> {
  const trx = await db.transaction()
  await trx('jobs').where({ organization }).forUpdate().select('id')
  return async () => {
    await trx.rollback()
  }
}

/** Writes of jobs that the database refuses for a while. */
export interface RefusedJobWrites {
  /** How often it was tried to write one, the refused times included. */
  countTries(): Promise<number>
  stop: Release
}

/** Lets PostgreSQL refuse the first `times` writes of the one job that an organization has. */
export async function refuseJobWrites(
  db: Knex,
  organization: string,
  { times }: { times: number },
): Promise<RefusedJobWrites> {
  const name = formatName('refused', organization)
  // The numbers of a sequence outlive the transactions that fail.
  await db.raw(`create sequence ${name};
    create function ${name}() returns trigger language plpgsql as $$ begin
      if nextval('${name}') <= ${times} then raise exception 'the database is away'; end if;
      return new; end $$;
    create trigger ${name} before update on jobs for each row
    when (new.organization = '${organization}') execute function ${name}()`)
  return {
    async countTries() {
      const { rows } = await db.raw<{ rows: [{ tries: number }] }>(
        `select case when is_called then last_value::int else 0 end as tries from ${name}`,
      )
      return rows[0].tries
    },
    async stop() {
      await db.raw(`drop trigger ${name} on jobs; drop function ${name}(); drop sequence ${name}`)
    },
  }
}

/** Lets everybody wait who would write an anchor. @returns the function that lets them go on */
export async function holdAnchors(db: Knex): Promise<Release> {
  const trx = await db.transaction()
  await trx.raw('lock table anchors in share mode')
  return async () => {
    await trx.rollback()
  }
}

/** Lets everybody wait who would write contexts of credentials. @returns the function that lets them go on */
export async function holdContexts(db: Knex): Promise<Release> {
  const trx = await db.transaction()
  await trx.raw('lock table credential_contexts in exclusive mode')
  return async () => {
    await trx.rollback()
  }
}

/** Checks whether anybody waits because of `holdContexts`. */
export async function areContextsAwaited(db: Knex): Promise<boolean> {
  const lock = await db('pg_locks').whereRaw(`relation = 'credential_contexts'::regclass and not granted`).first('pid')
  return lock !== undefined
}
