import type { Caller } from '../../kernel/caller.ts'
import { networkOf } from '../../kernel/network.ts'
import type { Operation, RequestFacts } from '../../kernel/operation.ts'
import type { ApartThreads } from './threads.ts'

/** The operation, handled in a thread of its own where that is declared: its handler hands the bytes of the body over. */
export function handledApart(operation: Operation, threads: ApartThreads | undefined): Operation {
  const { id, apart } = operation.declaration
  if (!apart || !threads) return operation
  const handle = ({ caller, request, body }: { caller: Caller; request: RequestFacts; body: Buffer }) =>
    threads.run(id, body, ownerOf(caller, request))
  return { ...operation, handle: handle as Operation['handle'] }
}

/** Refuses a body that has no room in the line before it is read. @throws RATE_LIMITED, OverloadedError */
export function refuseUnread(threads: ApartThreads | undefined, caller: Caller, request: Pick<RequestFacts, 'address'>): void {
  threads?.refuseFull(ownerOf(caller, request))
}

/** Whose turn a piece of work is: that of an organization, a buyer, or the network of who is nobody in particular. */
function ownerOf(caller: Caller, request: Pick<RequestFacts, 'address'>): string {
  if (caller.kind === 'anonymous') return `network ${networkOf(request.address)}`
  if (caller.kind === 'endUser') return `buyer ${caller.user}`
  if (caller.kind === 'member' && caller.organization === null) return `member ${caller.user}`
  return `organization ${caller.organization}`
}
