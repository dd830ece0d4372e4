import type { Knex } from 'knex'

/**
 * Describes everything in a schema, one line each, in a fixed order: tables with their columns in their order,
 * constraints, indexes, triggers, functions, sequences and rights, with all their names.
 */
export async function describeSchema(db: Knex, schema = 'public'): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { line: string }[] }>(schemaQuery, Array<string>(6).fill(schema))
  return rows.map(({ line }) => line)
}

const schemaQuery = `
  select 'table ' || c.relname || ' ' || c.relkind::text || ' ' || coalesce(c.reloptions::text, '') || ' rights '
    || coalesce(c.relacl::text, '') || ' part ' || coalesce(pg_get_expr(c.relpartbound, c.oid), '') || ' by '
    || coalesce(pg_get_partkeydef(c.oid), '') || ' (' || coalesce((
      select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attstorage::text || a.attidentity::text
          || a.attgenerated::text || (case when a.attnotnull then ' not null' else '' end)
          || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), ', ' order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '') || ')' as line
  from pg_class c where c.relnamespace = to_regnamespace(?) and c.relkind in ('r', 'p', 'v', 'm')
  union all select 'constraint ' || c.conrelid::regclass || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid) || ' '
    || c.convalidated::text
  from pg_constraint c where c.connamespace = to_regnamespace(?)
  union all select 'index ' || pg_get_indexdef(i.indexrelid) || ' valid ' || i.indisvalid::text || ' part of '
    || coalesce((select inhparent::regclass::text from pg_inherits where inhrelid = i.indexrelid), '')
  from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = to_regnamespace(?)
  union all select 'trigger ' || pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
  from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = to_regnamespace(?) and not t.tgisinternal
  union all select 'function ' || pg_get_functiondef(p.oid)
  from pg_proc p where p.pronamespace = to_regnamespace(?)
  union all select 'sequence ' || c.relname || ' ' || format_type(s.seqtypid, null) || ' ' || s.seqincrement::text
  from pg_sequence s join pg_class c on c.oid = s.seqrelid where c.relnamespace = to_regnamespace(?)
  order by line
`
