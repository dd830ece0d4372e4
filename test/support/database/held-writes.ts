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
