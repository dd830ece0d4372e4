import type { Knex } from 'knex'

/**
 * Events keep the public part of a passport, and of a draft its id. What was stored before loses the rest: claim
 * addresses, references, jobs, the account that claimed, the opt-in form. A parent stays where everybody may read the
 * same content of it now; whether it was a draft then is not known.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    update events set passport = jsonb_build_object('id', passport -> 'id')
    where passport ->> 'status' = 'draft' and passport <> jsonb_build_object('id', passport -> 'id');

    create function pg_temp.public_parent(parent jsonb) returns jsonb language sql stable as $$
      select parent from passports
      where id = (parent ->> 'id')::uuid and status <> 'draft' and product = parent -> 'product'
    $$;
    update events set passport = passport
        - array['reference', 'allowedClaimEmail', 'allowedClaimPhoneNumber', 'structureJob', 'certifyJob']
      || case when jsonb_typeof(passport -> 'mintedTo') = 'object'
        then jsonb_build_object('mintedTo', (passport -> 'mintedTo') - 'id') else '{}' end
      || case when jsonb_typeof(passport -> 'data') = 'object'
        then jsonb_build_object('data', (passport -> 'data') - 'opt_in_form') else '{}' end
      || case when jsonb_exists(passport, 'model') then jsonb_build_object(
          'model', pg_temp.public_parent(passport -> 'model'), 'batch', pg_temp.public_parent(passport -> 'batch'))
        else '{}' end
    where jsonb_exists_any(passport,
      array['reference', 'allowedClaimEmail', 'allowedClaimPhoneNumber', 'structureJob', 'certifyJob']);
    drop function pg_temp.public_parent(jsonb);
  `)
}

/** What was taken out is gone for good. */
export async function down(): Promise<void> {}
