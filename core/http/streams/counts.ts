import type { Caller } from '../../kernel/caller.ts'
import { networkOf } from '../../kernel/network.ts'
import { problem } from '../../kernel/problem.ts'

/** How many event streams may be open at a time, in one process; 0 is no limit. */
export interface StreamLimits {
  eventStreamsPerKey: number
  eventStreamsPerOrganization: number
  eventStreamsPerBuyer: number
}

/** One of the counts that a stream stands in. */
interface Count { name: string; max: number; whose: string }

/**
 * Counts the open event streams of each key or member, of their organization, and apart from it of each buyer. Each
 * process counts its own: a stream is memory and a connection of the process that has it, and what a crashed process
 * counted is gone with its streams.
 */
export class StreamCounts {
  readonly #open = new Map<string, number>()
  readonly #limits: StreamLimits

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Counts one more. @returns what counts it out again. @throws RATE_LIMITED */
  take(caller: Caller, addressOf: () => string): () => void {
    const counts = this.#countsOf(caller, addressOf)
    for (const { name, max, whose } of counts) {
      if (max === 0 || (this.#open.get(name) ?? 0) < max) continue
      throw problem('RATE_LIMITED', `${max} event streams of ${whose} are open already. Close one of them, or follow by the status route.`, {
        headers: { 'Retry-After': '10' },
      })
    }
    for (const { name } of counts) this.#open.set(name, (this.#open.get(name) ?? 0) + 1)
    let isOpen = true
    return () => {
      if (isOpen) for (const { name } of counts) this.#countOut(name)
      isOpen = false
    }
  }

  #countOut(name: string): void {
    const left = (this.#open.get(name) ?? 1) - 1
    if (left > 0) this.#open.set(name, left)
    else this.#open.delete(name)
  }

  #countsOf(caller: Caller, addressOf: () => string): Count[] {
    const { eventStreamsPerKey: perKey, eventStreamsPerOrganization: perOrganization, eventStreamsPerBuyer: perBuyer } = this.#limits
    if (caller.kind === 'anonymous') return [{ name: `network ${networkOf(addressOf())}`, max: perBuyer, whose: 'your address' }]
    if (caller.kind === 'endUser') return [{ name: `buyer ${caller.application} ${caller.user}`, max: perBuyer, whose: 'yours' }]
    const own = caller.kind === 'key'
      ? { name: `key ${caller.id}`, max: perKey, whose: 'this key' }
      : { name: `member ${caller.user}`, max: perKey, whose: 'yours' }
    if (caller.organization === null) return [own]
    return [own, { name: `organization ${caller.organization}`, max: perOrganization, whose: 'your organization' }]
  }
}
