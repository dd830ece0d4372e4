import type { Knex } from 'knex'

interface Descendants {
  count: number
  /** The first of them, in the order of their ids. */
  ids: string[]
}

/**
 * Reads the batches and items of a model or batch of an organization: how many anybody can read, and the ids of the
 * first `limit` of them. It relates them as `passport_parents` does, but as sets: a call for each item of a large model
 * would outlast the time limit of a statement.
 */
export async function readDescendants(
  trx: Knex,
  organization: string,
  id: string,
  limit: number,
): Promise<Descendants> {
  const {
    rows: [found],
  } = await trx.raw<{ rows: Descendants[] }>(
    `with holder as materialized (
       select id, application, product ->> 'idGranularity' as granularity, product ->> 'modelNumber' as model,
         product ->> 'batchNumber' as batch
       from passports where id = ? and organization = ? and product ->> 'idGranularity' in ('model', 'batch')
     ), batches as materialized (
       select p.id, p.application, p.product ->> 'batchNumber' as batch from holder h join passports p
         on h.granularity = 'model' and p.application = h.application and p.product ->> 'idGranularity' = 'batch'
           and p.product ->> 'modelNumber' = h.model
       union select id, application, batch from holder where granularity = 'batch'
     ), alone as materialized (
       -- Batches whose number no other batch of the application has: an item may name them without a model.
       select b.application, b.batch from batches b where not exists (
         select from passports p where p.application = b.application and p.product ->> 'idGranularity' = 'batch'
           and p.product ->> 'batchNumber' = b.batch and p.id <> b.id)
     ), descendants as (
       select p.id from holder h join passports p on h.granularity = 'model' and p.application = h.application
         and p.product ->> 'idGranularity' in ('batch', 'item') and p.product ->> 'modelNumber' = h.model
         and p.status <> 'draft'
       union select p.id from holder h join passports p on h.granularity = 'batch' and p.application = h.application
         and p.product ->> 'idGranularity' = 'item' and p.product ->> 'modelNumber' = h.model
         and p.product ->> 'batchNumber' = h.batch and p.status <> 'draft'
       union select p.id from alone b join passports p on p.application = b.application
         and p.product ->> 'idGranularity' = 'item' and p.product ->> 'modelNumber' is null
         and p.product ->> 'batchNumber' = b.batch and p.status <> 'draft'
     )
     select count(*) as count, coalesce((array_agg(id order by id))[1:?], '{}') as ids from descendants`,
    [id, organization, limit],
  )
  return found ?? { count: 0, ids: [] }
}
