import type { Knex } from 'knex'

/**
 * Operations that go singly are found by organization, so that a crowd of claims of one leaves the others their turns.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index chain_operations_singles;
    create index chain_operations_singles on chain_operations (network, organization, seq)
      where status = 'queued' and kind <> 'mintToIssuer';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index chain_operations_singles;
    create index chain_operations_singles on chain_operations (network, seq)
      where status = 'queued' and kind <> 'mintToIssuer';
  `)
}
