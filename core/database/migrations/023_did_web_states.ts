import type { Knex } from 'knex'

/**
 * Domains of did:web have a state: `pending` until the published document was seen, which reserves nothing; `active`,
 * of one organization at a time; `former`. What was never seen to be published goes back to `pending`. A key of an
 * active domain waits for its document until `document_due_at`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table did_web_domains
      drop constraint did_web_domains_pkey,
      drop constraint did_web_domains_domain_key,
      add primary key (organization, domain),
      add column state text not null default 'pending' check (state in ('pending', 'active', 'former')),
      -- Keys that the last look saw in the document.
      add column published uuid[] not null default '{}',
      -- When the document was first seen; null for a domain that was never proven.
      add column proven_at timestamptz(3),
      add column checked_at timestamptz(3),
      -- Since when the document is not as verifiers need it.
      add column missing_since timestamptz(3),
      -- When the Owners were told of that.
      add column told_at timestamptz(3);
    update did_web_domains d set state = 'active', proven_at = d.updated_at,
      checked_at = (d.last_check ->> 'checkedAt')::timestamptz,
      published = array(select k.id from certification_keys k
        where k.organization = d.organization and k.status in ('active', 'rotated'))
    where d.last_check ->> 'status' = 'ok';
    create unique index did_web_domains_active on did_web_domains (domain) where state = 'active';
    create unique index did_web_domains_signing on did_web_domains (organization) where state = 'active';
    create unique index did_web_domains_wanted on did_web_domains (organization) where state = 'pending';
    create index did_web_domains_domain on did_web_domains (domain);
    alter table certification_keys add column document_due_at timestamptz(3);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table certification_keys drop column document_due_at;
    drop index did_web_domains_domain, did_web_domains_wanted, did_web_domains_signing, did_web_domains_active;
    delete from did_web_domains where state <> 'active';
    alter table did_web_domains
      drop column told_at, drop column missing_since, drop column checked_at, drop column proven_at,
      drop column published, drop column state,
      drop constraint did_web_domains_pkey,
      add primary key (organization),
      add constraint did_web_domains_domain_key unique (domain);
  `)
}
