import type { Knex } from 'knex'

/**
 * Demo environments that members make and take away again. Each row is a run of a plan: how far it is, and the ids of
 * what it made, with which it is taken away. `demo_calls` has what each call came to, in short; secrets are in neither.
 *
 * An organization has one run at a time. Its calls are those of one member, whose permissions are read again while it
 * goes on.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table demo_runs (
      id uuid primary key,
      organization uuid not null references organizations on delete cascade,
      -- What all names of the demo contain.
      run_id text not null,
      scenario text not null,
      -- The application to fill; null for one of the demo's own.
      application uuid,
      size int not null check (size between 1 and 25),
      network text not null,
      -- Who had it made or taken away last.
      member uuid not null,
      phase text not null check (phase in ('prepare', 'remove')),
      status text not null check (status in ('running', 'done', 'failed')),
      job uuid,
      -- How often it was started, and the step at which it is.
      round int not null default 1,
      position int not null default 0,
      -- Since when the step waits for what it has called.
      waiting_since timestamptz(3),
      kept jsonb not null default '{}',
      stays jsonb not null default '[]',
      fault text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (organization, run_id)
    );
    create unique index demo_runs_running on demo_runs (organization) where status = 'running';

    create table demo_calls (
      run uuid not null references demo_runs on delete cascade,
      phase text not null check (phase in ('prepare', 'remove')),
      position int not null,
      part int not null,
      step text not null,
      -- Null for a step that had nothing to call.
      method text,
      path text,
      status int,
      code text,
      outcome text not null check (outcome in ('made', 'there', 'matched', 'stays', 'gone', 'skipped', 'failed')),
      answer text not null default '',
      at timestamptz(3) not null default now(),
      primary key (run, phase, position, part)
    )`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table demo_calls; drop table demo_runs')
}
