/**
 * Gives the people of these numbers a card in Apple Wallet on a phone of their own. Values: the organization, the
 * application, the first, the last.
 */
export const insertHolders = `
  with given as (select ?::uuid as organization, ?::uuid as application),
  people as (
    select a.id as account, n, md5('card' || n)::uuid as card, given.organization, given.application
    from given, generate_series(?::int, ?::int) n join accounts a on a.user_id = md5('customer' || n)::uuid),
  held as (
    update accounts set opt_in_apple = true, has_apple_card = true,
      last_visit_at = accounts.created_at + interval '1 day' * (people.n % 300),
      birth_date = date '1980-01-01' + people.n % 9000
    from people where accounts.id = people.account),
  members as (
    insert into loyalty_members (account, organization, application, member_number)
    select account, organization, application, lpad(translate(upper(to_hex(n)), 'ILOU', '1100'), 26, '0') from people),
  cards as (
    insert into loyalty_cards (id, organization, application, account, channel, token, is_held)
    select card, organization, application, account, 'apple-wallet', '\\x00', true from people order by account)
  insert into card_registrations (device, card, push_token)
    select md5('device' || n), card, encode(sha256(('token' || n)::bytea), 'hex') from people`

/** The tables whose statistics a campaign needs. */
export const campaignTables = ['users', 'accounts', 'loyalty_members', 'loyalty_cards', 'card_registrations']

/** What the export of a campaign writes, for COPY. Value: the campaign. */
export const exportedSql = `select d.account, a.customer_id, d.channel, d.status, d.reason, d.error_code, d.sent_at
  from campaign_deliveries d left join accounts a on a.id = d.account
  where d.campaign = '%s' order by d.account, d.channel limit 50000`
