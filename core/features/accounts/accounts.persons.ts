import type { Knex } from 'knex'

/** What an application knows about the person of an account. */
export interface AccountPerson {
  account: string
  name: string
  /** RFC 3339 full date. */
  birthDate: string
  /** BCP 47 language tag. */
  locale: string
  /** When the person came first. */
  since: Date
}

/**
 * Stores who the people of accounts are and since when, in the order of the ids of the accounts. An account whose person
 * has a name already stays as it is.
 */
export async function recordPersons(trx: Knex, persons: readonly AccountPerson[]): Promise<void> {
  await trx.raw(
    `with person as (
       select * from unnest(?::uuid[], ?::text[], ?::date[], ?::text[], ?::timestamptz[])
         as known (account, name, birth_date, locale, since)),
     locked as (
       select id from accounts where id in (select account from person) and name is null order by id for no key update)
     update accounts set name = person.name, birth_date = person.birth_date, locale = person.locale,
       created_at = least(accounts.created_at, person.since)
     from person join locked on locked.id = person.account where accounts.id = person.account`,
    [
      persons.map(({ account }) => account),
      persons.map(({ name }) => name),
      persons.map(({ birthDate }) => birthDate),
      persons.map(({ locale }) => locale),
      persons.map(({ since }) => since),
    ] as Knex.RawBinding[],
  )
}
