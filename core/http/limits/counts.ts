import type { Caller } from '../../kernel/caller.ts'
import { toIpNetwork } from '../../kernel/request/ip-network.ts'
import { createProblem } from '../../kernel/problem.ts'

/** Maximum number of open event streams in one process; 0 means no limit. */
export interface StreamLimits {
  eventStreamsPerKey: number
  eventStreamsPerOrganization: number
  eventStreamsPerBuyer: number
}

/** One of the counts that include a stream. */
interface StreamCount {
  name: string
  max: number
  ownerText: string
}

/**
 * The counts of open event streams: of each key or member, of their organization, and separately of each buyer. Each
 * process counts its own streams, because a stream uses memory and a connection of that process, and because the counts
 * of a crashed process are gone together with its streams.
 */
export class StreamCounts {
  readonly #open = new Map<string, number>()
  readonly #limits: StreamLimits

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Counts one more stream. @returns a function that removes it from the counts @throws RATE_LIMITED */
  addStream(caller: Caller, getAddress: () => string): () => void {
    const counts = this.#listCounts(caller, getAddress)
    for (const { name, max, ownerText } of counts) {
      if (max === 0 || (this.#open.get(name) ?? 0) < max) continue
      throw createProblem(
        'RATE_LIMITED',
        `${max} event streams of ${ownerText} are open already. Close one of them, or follow by the status route.`,
        {
          headers: { 'Retry-After': '10' },
        },
      )
    }
    for (const { name } of counts) this.#open.set(name, (this.#open.get(name) ?? 0) + 1)
    let isOpen = true
    return () => {
      if (isOpen) for (const { name } of counts) this.#removeStream(name)
      isOpen = false
    }
  }

  #removeStream(name: string): void {
    const left = (this.#open.get(name) ?? 1) - 1
    if (left > 0) this.#open.set(name, left)
    else this.#open.delete(name)
  }

  #listCounts(caller: Caller, getAddress: () => string): StreamCount[] {
    const {
      eventStreamsPerKey: perKey,
      eventStreamsPerOrganization: perOrganization,
      eventStreamsPerBuyer: perBuyer,
    } = this.#limits
    if (caller.kind === 'anonymous')
      return [{ name: `network ${toIpNetwork(getAddress())}`, max: perBuyer, ownerText: 'your address' }]
    if (caller.kind === 'endUser')
      return [{ name: `buyer ${caller.application} ${caller.user}`, max: perBuyer, ownerText: 'yours' }]
    const ownCount =
      caller.kind === 'key'
        ? { name: `key ${caller.id}`, max: perKey, ownerText: 'this key' }
        : { name: `member ${caller.user}`, max: perKey, ownerText: 'yours' }
    if (caller.organization === null) return [ownCount]
    return [
      ownCount,
      { name: `organization ${caller.organization}`, max: perOrganization, ownerText: 'your organization' },
    ]
  }
}
