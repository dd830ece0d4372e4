import type { Knex } from 'knex'

/**
 * Inserts rows of everything that an operator lists, this many of each: organizations with an application, a member, a
 * key, a job and a GTIN, of which every tenth is contested. The server then has statistics of them, as it has in time.
 */
export async function insertListedOrganizations(db: Knex, count: number): Promise<void> {
  await db.raw(`
    create temporary table made as
      select gen_random_uuid() as id, gen_random_uuid() as person, n from generate_series(1, ${count}) n;
    insert into organizations (id, name, slug, customer_type, settings)
      select id, 'Organization ' || n, 'organization-' || n, 'company', '{}' from made;
    insert into users (id, email) select person, 'person-' || n || '@example.com' from made;
    insert into members (id, organization_id, user_id, role) select gen_random_uuid(), id, person, 'owner' from made;
    insert into api_keys (id, organization, name, key, permissions)
      select gen_random_uuid(), id, 'Key ' || n, 'key-' || n, '{"dpp":["read"]}' from made;
    insert into jobs (id, type, organization, status, total, payload)
      select gen_random_uuid(), 'publish', id, 'completed', 1, '{}' from made;
    insert into gtin_owners (gtin, organization)
      select digits || (10 - (select sum(substr(digits, at, 1)::int * case when at % 2 = 1 then 3 else 1 end)
        from generate_series(1, 13) at) % 10) % 10, id
      from (select id, lpad((4000000000000 + n)::text, 13, '0') as digits from made) numbered;
    insert into gtin_contests (id, gtin, organization)
      select gen_random_uuid(), gtin, gen_random_uuid() from gtin_owners where random() < 0.1;
    insert into applications (id, organization, name, slug, default_network)
      select gen_random_uuid(), id, 'Application ' || n, 'application-' || n, 'EthereumAnvil' from made`)
  await db.raw('analyze')
}
