import type { Knex } from 'knex'

/**
 * One table of what jobs have still to do, in place of one for each kind of job. An item that is done is deleted: what
 * came of it stands in its subject and in the counters of its job.
 *
 * The tables before become views of it, so that processes of the version before work on until they are stopped. They
 * show `ctid`, by which that version removes old rows; its imports write with COPY, which needs a trigger on a view.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table passport_units, structure_units in access exclusive mode;

    create table job_items (
      job uuid not null references jobs on delete cascade,
      line int not null,
      -- What has to be done with it next.
      step text not null,
      subject uuid not null,
      primary key (job, line)
    );
    insert into job_items (job, line, step, subject)
      select job, line, step, passport from passport_units
      union all select job, line, 'structure', passport from structure_units;
    drop table passport_units, structure_units;

    create view passport_units as
      select ctid, job, line, subject as passport, step from job_items where step in ('publish', 'certify');
    alter view passport_units alter column step set default 'publish';

    create view structure_units as
      select ctid, job, line, subject as passport from job_items where step = 'structure';
    create function structure_units_insert() returns trigger language plpgsql as $$
    begin
      insert into job_items (job, line, step, subject) values (new.job, new.line, 'structure', new.passport);
      return new;
    end $$;
    create trigger structure_units_insert instead of insert on structure_units
      for each row execute function structure_units_insert();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop view passport_units, structure_units;
    drop function structure_units_insert();
    create table passport_units (
      job uuid not null,
      line int not null,
      passport uuid not null,
      step text not null default 'publish' constraint passport_units_step_check check (step in ('publish', 'certify')),
      constraint publish_units_pkey primary key (job, line),
      constraint publish_units_job_fkey foreign key (job) references jobs on delete cascade
    );
    create table structure_units (
      job uuid not null references jobs on delete cascade,
      line int not null,
      passport uuid not null,
      primary key (job, line)
    );
    insert into passport_units select job, line, subject, step from job_items where step <> 'structure';
    insert into structure_units select job, line, subject from job_items where step = 'structure';
    drop table job_items;
  `)
}
