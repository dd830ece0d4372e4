/** Inserts users. Values: their number. */
export const insertUsers = `
  insert into users (id, name, email, email_verified)
  select gen_random_uuid(), 'Buyer ' || n, 'buyer' || n || '@example.com', true from generate_series(1, ?::int) n`

/**
 * Inserts an account of an application for each such user. Values: organization, application, application, their
 * number.
 */
export const insertAccounts = `
  insert into accounts (id, organization, application, network, address, user_id)
  select gen_random_uuid(), ?::uuid, ?::uuid, 'EthereumAnvil',
    '0x' || substr(encode(sha256((?::text || u.id)::bytea), 'hex'), 1, 40), u.id
  from users u where u.email like 'buyer%@example.com' limit ?::int`

/**
 * Inserts passports of a sheet: of every twenty, fourteen are published, three drafts, two claimed and one archived.
 * All except drafts have a token; the ids are as old as their rows. Values: application, organization, application,
 * sheet, first, last, and the total number.
 */
export const insertPassports = `
  with buyers as (
    select array_agg(id order by id) as ids, array_agg(address order by id) as addresses from accounts
    where application = ?::uuid)
  insert into passports (
    id, organization, application, sheet, network, status, source, reference, fields, certified_paths, certificate_uri,
    allowed_claim_email, certification_status, minted_to, token_contract, token_transaction, token_owner,
    mint_queued_at, minted_at, created_at, updated_at)
  select
    uuidv7(made.at - clock_timestamp()), ?::uuid, ?::uuid, ?::uuid, 'EthereumAnvil', made.status,
    case when n % 10 < 7 then 'manual' when n % 10 < 9 then 'import' else 'ecommerce' end,
    case when n % 2 = 0 then 'SKU-' || lpad(n::text, 9, '0') end,
    jsonb_build_object(
      'serialNumber', 'SN-' || lpad(n::text, 9, '0'), 'color', (array['red', 'blue', 'green'])[n % 3 + 1],
      'size', n % 50,
      'origin', jsonb_build_object('country', (array['FR', 'IT', 'PT', 'DE'])[n % 4 + 1], 'year', 2020 + n % 6)),
    case when n % 5 = 0 then array['serialNumber'] else '{}' end,
    case when n % 11 = 0 then 'https://certificates.example/' || n end,
    case when n % 3 = 0 then 'buyer' || n % 1000 || '@example.com' end,
    'none',
    case when made.status = 'claimed' then buyers.ids[n % array_length(buyers.ids, 1) + 1] end,
    case when made.minted then '0x5fbdb2315678afecb367f032d93f642f64180aa3' end,
    case when made.minted then '0x' || encode(sha256(n::text::bytea), 'hex') end,
    case when made.status = 'claimed' then buyers.addresses[n % array_length(buyers.ids, 1) + 1]
      when made.minted then '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' end,
    case when made.minted then made.at end, case when made.minted then made.at end, made.at, made.at
  from generate_series(?::int, ?::int) n, buyers,
    lateral (select
      now() - interval '300 days' * (1 - n::float8 / ?::int) as at,
      case when n % 20 < 14 then 'published' when n % 20 < 17 then 'draft' when n % 20 < 19 then 'claimed'
        else 'archived' end as status,
      n % 20 not in (14, 15, 16) as minted) made`
