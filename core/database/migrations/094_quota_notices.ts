import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * Which organizations were told that they have used so many per cent of what a plan allows in a month. The limit belongs
 * to the key: when a plan allows more, its end is told again. The meters of one month are found by an index.
 */
export const transaction = false

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists quota_notices (
      organization uuid not null,
      meter text not null,
      -- The first day of the month, in UTC.
      period date not null,
      units_limit bigint not null,
      percent smallint not null check (percent in (80, 100)),
      at timestamptz(3) not null default now(),
      primary key (organization, meter, period, units_limit, percent)
    )`)
  await buildIndexConcurrently(knex, 'meter_periods_period', 'on meter_periods (period)')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index meter_periods_period; drop table quota_notices')
}
