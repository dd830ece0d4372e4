import type { ContractKey } from './contracts.ts'
import type { Session } from './session.ts'

/** How long a contract is left alone: a little at first, twice as long each time. Milliseconds. */
export interface Hold { until: number; pause: number }

/** Contracts that take nothing at present. */
export function held({ holds }: Session): ContractKey[] {
  const now = performance.now()
  return [...holds].filter(([, { until }]) => until > now).map(([key]) => key)
}

/** Leaves a contract alone for a while, so that the others go on. @param most the longest pause */
export function hold(session: Session, contract: ContractKey, reason: string, most = session.pace.hold): void {
  const { holds, network, log } = session
  const before = holds.get(contract)
  if (before && before.until > performance.now()) return
  const pause = Math.min(most, before ? before.pause * 2 : Math.ceil(most / 16))
  holds.set(contract, { until: performance.now() + pause, pause })
  if (!before) log.warn({ network, contract, reason }, 'a contract takes nothing: its operations wait')
}

/** How many times longer one waits that cannot be deployed: each try may cost a fee. */
const longer = 40

/** The same, when it cannot be deployed. */
export const holdDeployment = (session: Session, contract: ContractKey, reason: string) =>
  hold(session, contract, reason, session.pace.hold * longer)

/** It takes operations again. */
export function release({ holds, network, log }: Session, contract: ContractKey): void {
  if (holds.delete(contract)) log.info({ network, contract }, 'a contract takes operations again')
}
