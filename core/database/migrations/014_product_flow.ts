import type { Knex } from 'knex'

/**
 * What passports of the product flow need: since when and where they are tracked, indexes for their numbers, their
 * parents, and the units of structure jobs.
 *
 * Parents are found by number within the application. An item that names a batch but no model belongs to the only batch
 * of that number; where there are several it has none. `open` says whether everybody may see the parent: no draft, and
 * not found by way of one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table passports add column trust_enrolled_at timestamptz(3), add column trust_url text;

    create index passports_model_number on passports
      (organization, (product ->> 'modelNumber'), created_at desc, id desc) where (product ->> 'modelNumber') is not null;
    create index passports_batch_number on passports
      (organization, (product ->> 'batchNumber'), created_at desc, id desc) where (product ->> 'batchNumber') is not null;
    create index passports_item_number on passports
      (organization, (product ->> 'itemNumber'), created_at desc, id desc) where (product ->> 'itemNumber') is not null;
    create index passports_batches on passports (application, (product ->> 'batchNumber'))
      where (product ->> 'idGranularity') = 'batch';

    -- The passports a structure job has still to look at.
    create table structure_units (
      job uuid not null references jobs on delete cascade,
      line int not null,
      passport uuid not null,
      primary key (job, line)
    );
  `)
  await knex.raw(parents)
}

/** Looked up by all columns of passports_identity_unique, or by passports_batches. Not inlined: most reads never call it. */
const parents = `
  create function passport_parents(of_application uuid, child jsonb)
  returns table (model json, model_open boolean, batch json, batch_open boolean) language plpgsql stable as $$
  declare
    named_model text := child ->> 'modelNumber';
    named_batch text := child ->> 'batchNumber';
    batch_product jsonb;
  begin
    if child ->> 'idGranularity' = 'item' and named_batch is not null and named_model is not null then
      select json_build_object('id', p.id, 'product', p.product), p.status <> 'draft' into batch, batch_open
      from passports p
      where p.application = of_application and (p.product ->> 'idGranularity') = 'batch'
        and (p.product ->> 'modelNumber') = named_model and (p.product ->> 'batchNumber') = named_batch
        and (p.product ->> 'itemNumber') is null;
    elsif child ->> 'idGranularity' = 'item' and named_batch is not null then
      select json_build_object('id', p.id, 'product', p.product), p.status <> 'draft', p.product
      into batch, batch_open, batch_product
      from passports p
      where p.application = of_application and (p.product ->> 'idGranularity') = 'batch'
        and (p.product ->> 'batchNumber') = named_batch and not exists (
          select from passports other
          where other.application = of_application and (other.product ->> 'idGranularity') = 'batch'
            and (other.product ->> 'batchNumber') = named_batch and other.id <> p.id
        );
    end if;
    if child ->> 'idGranularity' <> 'model' then
      select json_build_object('id', p.id, 'product', p.product),
        p.status <> 'draft' and (named_model is not null or batch_open) into model, model_open
      from passports p
      where p.application = of_application and (p.product ->> 'idGranularity') = 'model'
        and (p.product ->> 'modelNumber') = coalesce(named_model, batch_product ->> 'modelNumber')
        and (p.product ->> 'batchNumber') is null and (p.product ->> 'itemNumber') is null;
    end if;
    return next;
  end $$;
`

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function passport_parents(uuid, jsonb);
    drop table structure_units;
    drop index passports_batches, passports_item_number, passports_batch_number, passports_model_number;
    alter table passports drop column trust_url, drop column trust_enrolled_at;
  `)
}
