import { randomBytes } from 'node:crypto'

export interface StripeSubscription {
  id: string
  customer: string
  status: string
  /** The lookup key of its price. */
  plan: string | null
  periodEnd: Date
  /** Why it ended. */
  reason?: 'payment_failed' | 'cancellation_requested'
}

export interface MeterEvent {
  event_name: string
  identifier: string
  customer: string
  value: number
  timestamp: number
}

/** The state of the account. Tests change it as its owner does. */
export interface StripeState {
  customers: Map<string, Record<string, string>>
  subscriptions: StripeSubscription[]
  /** The names of the events of active meters. */
  meters: Set<string>
  meterEvents: MeterEvent[]
  portals: { customer: string; returnUrl: string | undefined; url: string }[]
}

/** Creates an identifier as Stripe writes them. */
export const createStripeId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
