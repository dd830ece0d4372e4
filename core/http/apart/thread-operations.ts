import type { Caller } from '../../kernel/caller.ts'
import { toIpNetwork } from '../../kernel/request/ip-network.ts'
import type { Operation, RequestDetails } from '../../kernel/operation.ts'
import type { WorkerThreadPool } from './thread-pool.ts'

/**
 * Returns the operation with a handler that sends the body's bytes to a thread, if the operation declares
 * `runsInThread`.
 */
export function withThreadHandler(operation: Operation, threads: WorkerThreadPool | undefined): Operation {
  const { id, execution } = operation.declaration
  if (!execution.runsInThread || !threads) return operation
  const handle = ({ caller, request, body }: { caller: Caller; request: RequestDetails; body: Buffer }) =>
    threads.runTask(id, body, getWorkOwner(caller, request))
  return { ...operation, handle: handle as Operation['handle'] }
}

/**
 * Throws if there is no room in the queue for a body that has not been read yet. @throws RATE_LIMITED, OverloadedError
 */
export function assertThreadRoom(
  threads: WorkerThreadPool | undefined,
  caller: Caller,
  request: Pick<RequestDetails, 'address'>,
): void {
  threads?.assertRoom(getWorkOwner(caller, request))
}

/**
 * Returns the owner that a task counts for: an organization, a buyer, a member, or the network of an anonymous caller.
 */
function getWorkOwner(caller: Caller, request: Pick<RequestDetails, 'address'>): string {
  if (caller.kind === 'anonymous') return `network ${toIpNetwork(request.address)}`
  if (caller.kind === 'endUser') return `buyer ${caller.user}`
  if (caller.kind === 'member' && caller.organization === null) return `member ${caller.user}`
  return `organization ${caller.organization}`
}
