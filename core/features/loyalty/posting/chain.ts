import type { ChainOperationState, NewPointsOperation } from '../../../chains/port.ts'
import type { Network } from '../../../chains/networks.ts'

/** How far an entry is on a chain; `none` if no chain gets it. */
export const chainStates = [
  'none',
  'queued',
  'signed',
  'submitted',
  'included',
  'final',
  'failed',
] as const satisfies readonly ('none' | ChainOperationState)[]

/** The place of an account's points. */
export interface PointsTarget {
  organization: string
  application: string
  network: Network
  account: string
  /** Address of the account's wallet. */
  address: string
  /** Name of the application; without it, it is read. */
  applicationName?: string
}

/** Creates the operation by which a chain gets an entry. @param amount signed */
export function createPointsOperation(
  { organization, application, network, address }: PointsTarget,
  { operation, amount, job }: { operation: string; amount: bigint; job: string },
): NewPointsOperation {
  return { id: operation, organization, application, network, kind: 'postPoints', account: address, amount, job }
}
