import type { Knex } from 'knex'

/**
 * Jobs and messages. `due_at` is when a job may run next, `lease_until` until when a run holds it; the sweep asks for
 * the later of the two. `woken` marks a wake that came during a run, so that a run ending in "waiting" does not sleep
 * over it. The trigger bumps `version` and tells the channel `job` with every change that a reader can see.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table jobs (
      id uuid primary key,
      type text not null,
      organization uuid not null,
      application uuid,
      product uuid,
      end_user text,
      status text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
      total int not null check (total >= 0),
      completed int not null default 0,
      failed int not null default 0,
      result jsonb,
      errors jsonb not null default '[]',
      payload jsonb not null,
      state jsonb not null default '{}',
      attempts int not null default 0,
      due_at timestamptz not null default now(),
      woken boolean not null default false,
      lease_until timestamptz,
      lease_holder uuid,
      lease_worker int,
      version bigint not null default 1,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

    create index jobs_due on jobs (greatest(due_at, lease_until)) where status = 'pending';
    create index jobs_failed on jobs (updated_at) where status = 'failed';

    create function jobs_changed() returns trigger language plpgsql as $$
    begin
      new.version := old.version + 1;
      new.updated_at := greatest(clock_timestamp(), old.updated_at);
      perform pg_notify('job', new.id::text);
      return new;
    end $$;
    create trigger jobs_changed before update of status, total, completed, failed, result, errors on jobs
      for each row execute function jobs_changed();

    create table messages (
      id uuid primary key,
      channel text not null check (channel in ('email', 'sms')),
      recipient text not null,
      subject text not null,
      body text not null,
      status text not null check (status in ('queued', 'sent', 'failed', 'kept')),
      attempts int not null default 0,
      due_at timestamptz not null default now(),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create index messages_due on messages (due_at) where status = 'queued';
    create index messages_created_at on messages (created_at desc, id desc);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table messages; drop table jobs; drop function jobs_changed()')
}
