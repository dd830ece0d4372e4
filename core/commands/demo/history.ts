import { demoPeople, demoWelcomeBonus } from './people.ts'

/** An article of the demo shop. */
interface Article {
  sku: string
  name: string
  /** Price of one in cents. */
  cents: number
}

const articles: readonly Article[] = [
  { sku: 'BAG-01', name: 'Weekend bag', cents: 24_000 },
  { sku: 'CARD-03', name: 'Card holder', cents: 4_500 },
  { sku: 'CARE-02', name: 'Leather care set', cents: 1_850 },
  { sku: 'TOTE-04', name: 'Canvas tote', cents: 12_000 },
  { sku: 'BELT-02', name: 'Saddle leather belt', cents: 6_900 },
  { sku: 'REP-01', name: 'New zip, sewn in', cents: 3_200 },
  { sku: 'STRAP-05', name: 'Shoulder strap', cents: 5_450 },
]

/** What happened to an account, and how many days ago. */
export type DemoEvent = { key: string; occurredAt: Date; activatesAt?: Date; expiresAt?: Date } & (
  | { kind: 'welcome'; points: number; reason: string }
  | { kind: 'order'; items: readonly (Article & { quantity: number })[] }
  | { kind: 'mint' | 'burn'; points: number; reason: string }
)

/** The part of an event that the rhythm of its customer gives. */
type Happening =
  | { kind: 'order'; items: readonly (Article & { quantity: number })[] }
  | { kind: 'mint' | 'burn'; points: number; reason: string }

/** What a voucher costs. */
const voucherPoints = 100

const gifts: readonly (readonly [points: number, reason: string])[] = [
  [25, 'You answered our survey'],
  [40, 'Happy birthday'],
  [60, 'You brought a friend'],
  [30, 'A repair took longer than promised'],
]

const dayMs = 24 * 60 * 60 * 1000

/** Takes an item of a list, beginning again at its end. */
const takeInTurn = <T>(list: readonly T[], turn: number): T => list[turn % list.length] as T

/** The days between two visits of a customer: some come every two weeks, some once in two months. */
const rhythms: readonly number[] = [13, 17, 24, 31, 45, 62]

/** The days for which the first of the twenty has been a customer, and by how many each later one came later. */
const firstCustomerDays = 320
const daysBetweenCustomers = 15

/** Returns how many days ago a customer came first. */
const getCustomerDays = (customer: number): number => firstCustomerDays - customer * daysBetweenCustomers

/**
 * Creates the history of one of the demo customers, the oldest event first. The same customer has the same history in
 * every installation; only its days depend on the present.
 */
export function createHistory(customer: number, now: Date): DemoEvent[] {
  const { email } = takeInTurn(demoPeople, customer)
  const getMoment = (daysAgo: number, hour: number) => {
    const moment = new Date(now.getTime() - daysAgo * dayMs)
    moment.setUTCHours(hour, (customer * 7 + daysAgo * 3) % 60, 0, 0)
    return moment
  }
  const arrival = getCustomerDays(customer)
  const rhythm = takeInTurn(rhythms, customer * 5 + 1)
  const visits = Array.from({ length: Math.ceil(arrival / rhythm) }, (_, visit) => {
    // People are no clocks: they come up to three days earlier than their rhythm says. Nothing happens after yesterday.
    const daysAgo = Math.max(1, arrival - visit * rhythm + ((customer + visit * 2) % 4))
    const occurredAt = getMoment(Math.min(daysAgo, arrival), 9 + ((customer + visit * 3) % 9))
    return { key: `demo-${email}-${visit + 1}`, occurredAt, ...createHappening(customer, visit) }
  })
  const welcome = { kind: 'welcome' as const, points: demoWelcomeBonus, reason: 'Welcome to the Demo Shop' }
  return [
    { key: `demo-${email}-0`, occurredAt: getMoment(arrival, 8), ...welcome },
    ...visits,
    ...createPresent(customer, now),
  ]
}

/** Creates what the shop gave yesterday: to some, points that can be used later; to others, points that expire soon. */
function createPresent(customer: number, now: Date): DemoEvent[] {
  const { email } = takeInTurn(demoPeople, customer)
  const getDay = (days: number) => new Date(now.getTime() + days * dayMs)
  const given = { key: `demo-${email}-present`, occurredAt: getDay(-1), kind: 'mint' as const }
  if (customer % 4 === 1)
    return [{ ...given, points: 80, reason: 'Double points of the autumn sale', activatesAt: getDay(10 + customer) }]
  if (customer % 4 === 2)
    return [{ ...given, points: 60, reason: 'A present for the season', expiresAt: getDay(20 + customer) }]
  return []
}

/** Most visits are purchases; every fourth uses a voucher, and every fifth is a gift of the shop. */
function createHappening(customer: number, visit: number): Happening {
  if (visit % 4 === 3) return { kind: 'burn', points: voucherPoints, reason: 'Voucher of 10 euros' }
  if (visit % 5 === 2) {
    const [points, reason] = takeInTurn(gifts, customer + visit)
    return { kind: 'mint', points, reason }
  }
  const first = takeInTurn(articles, customer * 3 + visit * 2)
  const second = takeInTurn(articles, customer + visit * 5 + 2)
  const items = [{ ...first, quantity: 1 }]
  if ((customer + visit) % 3 === 0 && second !== first)
    items.push({ ...second, quantity: 1 + ((customer + visit) % 2) })
  return { kind: 'order', items }
}
