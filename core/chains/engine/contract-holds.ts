import type { ContractKey } from './rows/contracts.ts'
import type { SenderSession } from './session.ts'

/** How long a contract is left alone, in milliseconds: a short time at first, twice as long each further time. */
export interface ContractHold {
  untilMs: number
  delayMs: number
}

/** Returns the keys of the contracts that take no operations at present. */
export function getHeldContracts({ holds }: SenderSession): ContractKey[] {
  const now = performance.now()
  return [...holds].filter(([, { untilMs }]) => untilMs > now).map(([key]) => key)
}

/**
 * Leaves a contract alone for a while, so that the operations of other contracts go on.
 * @param maxHoldMs longest hold
 */
export function holdContract(
  session: SenderSession,
  contract: ContractKey,
  reason: string,
  maxHoldMs = session.pacing.maxHoldMs,
): void {
  const { holds, network, log } = session
  const before = holds.get(contract)
  if (before && before.untilMs > performance.now()) return
  const delayMs = Math.min(maxHoldMs, before ? before.delayMs * 2 : Math.ceil(maxHoldMs / 16))
  holds.set(contract, { untilMs: performance.now() + delayMs, delayMs })
  if (!before) log.warn({ network, contract, reason }, 'a contract takes nothing: its operations wait')
}

/** Factor by which the hold of a contract that cannot be deployed is longer, because each attempt may cost something. */
const deploymentHoldFactor = 40

/** Holds a contract that cannot be deployed. */
export const holdDeployment = (session: SenderSession, contract: ContractKey, reason: string) =>
  holdContract(session, contract, reason, session.pacing.maxHoldMs * deploymentHoldFactor)

/** Ends the hold of a contract that takes operations again. */
export function releaseContract({ holds, network, log }: SenderSession, contract: ContractKey): void {
  if (holds.delete(contract)) log.info({ network, contract }, 'a contract takes operations again')
}
