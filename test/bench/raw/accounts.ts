import type { Row } from './passports.ts'

/** A list of accounts: a condition on `$2`, if it has a filter, and the column of its order. */
export interface RawAccountList {
  condition?: string
  /** The column, newest or highest first; the time of creation by default. */
  order?: string
  /** The type of the column, which a page after a cursor compares. */
  type?: string
}

const ofUser = (condition: string) => `a.user_id in (select u.id from users u where ${condition})`
const isLike = (column: string) => `${column} ilike '%' || $2::text || '%'`

/** The lists by what the bench calls them. */
export const accountLists: Record<string, RawAccountList> = {
  newest: {},
  'filter id': { condition: 'a.id = $2::uuid' },
  'filter createdAt': { condition: 'a.created_at >= $2::timestamptz' },
  'filter updatedAt': { condition: 'a.updated_at >= $2::timestamptz' },
  'filter application.id': { condition: 'a.application = $2::uuid' },
  'filter network': { condition: 'a.network = $2::text' },
  'filter address': { condition: 'a.address = $2::text' },
  'filter address contains': { condition: isLike('a.address') },
  'filter user.name': { condition: 'a.name = $2::text' },
  'filter user.name contains': { condition: isLike('a.name') },
  'filter user.email': { condition: ofUser('u.email_verified and u.email = $2::text') },
  'filter user.email contains': { condition: ofUser(`u.email_verified and ${isLike('u.email')}`) },
  'filter user.phoneNumber': { condition: ofUser('u.phone_number_verified and u.phone_number = $2::text') },
  'filter user.phoneNumber contains': { condition: ofUser(`u.phone_number_verified and ${isLike('u.phone_number')}`) },
  'filter dpp.passportCount': { condition: 'a.passport_count = $2::int' },
  'sorter updatedAt': { order: 'updated_at', type: 'timestamptz' },
  'sorter address': { order: 'address', type: 'text' },
  'sorter loyalty.optimisticBalance': { order: 'points', type: 'bigint' },
  'sorter loyalty.visits': { order: 'visits', type: 'int' },
  'sorter dpp.passportCount': { order: 'passport_count', type: 'int' },
  'sorter dpp.lastActivityAt': { order: 'last_activity_at', type: 'timestamptz' },
}

const columns = `a.id, a.application, p.name as application_name, a.network, a.address, a.user_id, a.name,
  case when u.email_verified then u.email end as email,
  case when u.phone_number_verified then u.phone_number end as phone_number, a.birth_date::text as birth_date, a.locale,
  a.points::text as points, a.points_pending::text as points_pending, a.points_settled::text as points_settled, a.visits,
  a.passport_count, nullif(a.last_activity_at, '-infinity') as last_activity_at, a.created_at, a.updated_at`

/**
 * Creates the statement of a list: eleven rows, and the total, counted up to 10,000. Values: the organization, and what
 * the list is filtered by, or the key and the id of the row before the page.
 */
export function createAccountStatement({ condition, order = 'created_at', type }: RawAccountList, isLater: boolean) {
  const own = `a.organization = $1 and a.user_id is not null${condition === undefined ? '' : ` and ${condition}`}`
  const after = isLater ? ` and (a.${order}, a.id) < ($2::${type}, $3::uuid)` : ''
  return `
    select ${columns}, (select count(*) from (select from accounts a where ${own} limit 10000) counted)::int as total
    from (select * from accounts a where ${own}${after} order by a.${order} desc, a.id desc limit 11) a
    join applications p on p.id = a.application join users u on u.id = a.user_id
    order by a.${order} desc, a.id desc`
}

/** Presents an account to its organization. */
export const presentAccount = (row: Row) => ({
  id: row.id,
  application: { id: row['application'], name: row['application_name'] },
  network: row.network,
  address: row['address'],
  user: {
    id: row['user_id'],
    name: row['name'],
    email: row['email'],
    emailVerified: row['email'] !== null,
    phoneNumber: row['phone_number'],
    phoneNumberVerified: row['phone_number'] !== null,
    birthDate: row['birth_date'],
    preferredLocale: row['locale'],
  },
  loyalty: {
    optimisticBalance: row['points'],
    settledBalance: row['points_settled'],
    pending: row['points_pending'],
    visits: row['visits'],
    fixedRewardTier: null,
    rewardTier: null,
    customerId: null,
    optIn: { apple: false, google: false },
  },
  dpp: {
    isActive: Number(row['passport_count']) > 0,
    passportCount: row['passport_count'],
    lastActivityAt: row['last_activity_at'],
  },
  createdAt: row['created_at'],
  updatedAt: row['updated_at'],
})
