import type { Knex } from 'knex'

/**
 * The ended segments of audit trails that stand on a chain. One Merkle root stands for segments of many organizations,
 * so that a month costs one transaction; the proof of a segment leads from its hashes to that root. Segments themselves
 * are never changed, so what is learnt of them later stands beside them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table audit_anchors (
      id uuid primary key,
      network text not null,
      root text not null check (root ~ '^0x[0-9a-f]{64}$'),
      segments int not null check (segments > 0),
      status text not null default 'pending' check (status in ('pending', 'final')),
      transaction_hash text,
      created_at timestamptz(3) not null default now()
    );
    create index audit_anchors_pending on audit_anchors (id) where status = 'pending';

    create table audit_segment_anchors (
      organization uuid not null,
      month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
      anchor uuid not null references audit_anchors,
      -- The siblings from the leaf up, 32 bytes each.
      proof bytea not null,
      primary key (organization, month)
    );
    create index audit_segment_anchors_anchor on audit_segment_anchors (anchor)`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table audit_segment_anchors, audit_anchors')
}
