import type { Knex } from 'knex'

/**
 * Versions of a sheet's definitions. `sheets.schema_version` is the one in force, `sheet_versions` keeps those before it;
 * `passports.sheet_version` is the one that judged a passport's values, null for the first, so that no row is rewritten.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sheets add column schema_version int not null default 1;
    alter table passports add column sheet_version int;
    create table sheet_versions (
      sheet uuid not null references sheets on delete cascade,
      version int not null,
      product_fields jsonb not null,
      passports_fields jsonb not null,
      replaced_at timestamptz(3) not null default now(),
      primary key (sheet, version)
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table sheet_versions;
    alter table passports drop column sheet_version;
    alter table sheets drop column schema_version;
  `)
}
