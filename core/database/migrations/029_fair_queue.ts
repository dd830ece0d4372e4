import type { Knex } from 'knex'

/**
 * Turns of organizations in the queue. A job that no run holds has no lease, so that the workers find the organizations
 * that wait by walking one index; `counted` marks the jobs that count towards an organization's limit. `job_weight` says
 * how many turns an organization has for one turn of the others.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table jobs add column counted boolean not null default false;
    drop index jobs_due;
    create index jobs_queued on jobs (organization, due_at) where status = 'pending' and lease_until is null;
    create index jobs_leased on jobs (lease_until) where status = 'pending' and lease_until is not null;
    alter table organizations add column job_weight real not null default 1 check (job_weight between 0.01 and 100);
    create index claims_pending on claims (application, end_user) where status = 'pending';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index claims_pending;
    alter table organizations drop column job_weight;
    drop index jobs_leased;
    drop index jobs_queued;
    create index jobs_due on jobs (greatest(due_at, lease_until)) where status = 'pending';
    alter table jobs drop column counted;
  `)
}
