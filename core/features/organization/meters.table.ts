import type { MeterCode } from '../../kernel/words.ts'

/** What a meter counts, and whether its limit is hard where a plan does not say so. */
export interface MeterDescription {
  unit: 'operation' | 'account' | 'token'
  isHard: boolean
}

/** The meters, in the order in which they are shown. */
export const meterTable = {
  // A passport that is created, minted or claimed, or a version of a certificate.
  'dpp.operations': { unit: 'operation', isHard: true },
  // An account with an entry of points or a visit in the month, counted once: expiry and reversals are entries too.
  'loyalty.activeUsers': { unit: 'account', isHard: false },
  // An account with a passport or an entry, counted once for ever. As every meter has months, it is counted in the month
  // in which it became one: with its first entry, or when its first claim was accepted, whatever became of that later.
  wallets: { unit: 'account', isHard: true },
  // What goes into a model, and what comes out.
  'llm.tokens': { unit: 'token', isHard: true },
} as const satisfies Record<string, MeterDescription>

export const meterCodes = Object.keys(meterTable) as MeterCode[]

declare module '../../kernel/words.ts' {
  interface MeterCodes {
    'dpp.operations': true
    'loyalty.activeUsers': true
    wallets: true
    'llm.tokens': true
  }
}
