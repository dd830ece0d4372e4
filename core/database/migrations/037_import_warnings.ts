import type { Knex } from 'knex'

/**
 * What is told of an import beside its errors, and what its caller asked for: all rows or none, an Excel workbook, a run
 * by hand. A mapper can say what becomes of rows that are there already.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table imports
      add column warnings jsonb not null default '[]',
      add column unused_columns jsonb not null default '[]',
      add column atomic boolean not null default false,
      drop constraint imports_source_check,
      add constraint imports_source_check check (source in ('upload', 'ecommerce', 'scheduled', 'manual')),
      drop constraint imports_format_check,
      add constraint imports_format_check check (format in ('json', 'ndjson', 'csv', 'xlsx'));
    alter table import_mappers
      add column on_duplicate text check (on_duplicate in ('skip', 'update', 'fail'));
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update imports set source = 'scheduled' where source = 'manual';
    update imports set format = 'csv' where format = 'xlsx';
    alter table imports
      drop column warnings, drop column unused_columns, drop column atomic,
      drop constraint imports_source_check,
      add constraint imports_source_check check (source in ('upload', 'ecommerce', 'scheduled')),
      drop constraint imports_format_check,
      add constraint imports_format_check check (format in ('json', 'ndjson', 'csv'));
    alter table import_mappers drop column on_duplicate;
  `)
}
