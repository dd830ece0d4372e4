import { raw, type AnyQueryBuilder, type Model as ObjectionModel, type QueryBuilder } from 'objection'
import type { PageRequest } from '../../kernel/page.ts'
import { createDirectDatabase } from '../connection.ts'
import { createRowCounter } from './counter.ts'
import { createFilterSql, type Columns, type Sql } from './filters.ts'
import { createOrderSql } from './order.ts'
import { minDeepOffset, type ListSource, type RowSelection } from './source.ts'
import { computeTotal } from './total.ts'

type Query<M extends ObjectionModel> = QueryBuilder<M, M[]>

/**
 * Creates a source of models. The query already has its tenancy condition and relations.
 * @param id table-qualified id column; `id` of the model's table by default
 */
export function createModelSource<M extends ObjectionModel>(
  query: Query<M>,
  id = `${query.modelClass().tableName}.id`,
): ListSource<M> {
  const knex = query.knex()
  const isSerial = knex.isTransaction === true
  return {
    id,
    isSerial,
    readRows: (selection) => readRows(query.clone(), selection, id),
    computeTotal(filters) {
      const matching = addCondition(query.clone(), filters).clearSelect().clearOrder().select(raw('1'))
      const { sql, bindings } = matching.toKnexQuery().toSQL().toNative()
      return computeTotal(createRowCounter(createDirectDatabase(knex), { text: sql, values: bindings }, !isSerial))
    },
  }
}

/** Adds the filters of a list to a query. Publishing uses the filters of a list without its paging. */
export function applyFilters(query: AnyQueryBuilder, page: PageRequest, columns: Columns): void {
  addCondition(query, createFilterSql(page.filters, columns))
}

const addCondition = <Q extends AnyQueryBuilder>(query: Q, condition: Sql | null): Q =>
  condition ? (query.whereRaw(condition.sql, [...condition.bindings]) as Q) : query

async function readRows<M extends ObjectionModel>(
  query: Query<M>,
  { filters, after, keys, offset, limit }: RowSelection,
  id: string,
): Promise<M[]> {
  addCondition(query, filters)
  if (!query.hasSelects()) query.select(`${query.modelClass().tableName}.*`)
  keys.forEach((key, at) => query.select(raw(`(${key.sql})::text`).as(`key${at}`)))
  for (const key of keys) query.orderByRaw(createOrderSql(key))
  const pageQuery = addCondition(query.clone(), after).limit(limit).offset(offset)
  if (offset < minDeepOffset) return pageQuery
  return query.whereIn(raw(id) as unknown as string, pageQuery.clearSelect().select(raw(id)))
}
