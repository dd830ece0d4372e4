import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/work.ts'
import { RequestBuffer, type RequestEntry } from './requests.buffer.ts'
import { countByOrganization, storeRequests } from './requests.store.ts'

/** A request that was answered. `operation` is empty if none matched. */
interface AnsweredRequest {
  operation: string
  status: number
  seconds: number
  requestId: string
  /** The code of the problem that was answered, if it has one. */
  code?: string | undefined
  /** Who sent it; undefined if nobody found out. */
  caller?: Caller | undefined
  /** Whether the answer is a page that is not for members. */
  isPublicPage: boolean
}

/** The log of the requests that organizations send, of one process. */
export interface RequestLog {
  /** Notes a request. Never waits and never throws. */
  record(request: AnsweredRequest): void
  /** The number of requests that were not noted, because too many waited to be written. */
  countDropped(): number
  /** Writes what waits, and ends the log. */
  stop(): Promise<void>
}

/** Milliseconds from the first entry that waits to the statement that writes all of them. */
const writeIntervalMs = 500
/** The maximum number of entries that wait in a process. */
const maxWaitingEntries = 5_000
/** The number of entries of an organization after which its oldest ones are removed. */
const trimAfter = 100

/**
 * Starts the log of requests: what organizations send by their keys and their members, the console included. Requests
 * of buyers and of nobody, and pages for everybody, are not noted. Entries are gathered in memory and written together,
 * so that a request costs no statement; a process that is killed loses those of the last half second.
 */
export function startRequestLog({ directDatabase, log }: Pick<Context, 'directDatabase' | 'log'>): RequestLog {
  const buffer = new RequestBuffer(maxWaitingEntries)
  /** The number of entries of each organization since its oldest ones were removed. */
  const untrimmed = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let reportedDrops = 0

  const schedule = () => {
    timer = setTimeout(() => void write(), writeIntervalMs).unref()
  }
  const write = (): Promise<void> =>
    (writing ??= writeWaiting().finally(() => {
      writing = undefined
      clearTimeout(timer)
      timer = undefined
      if (buffer.size > 0) schedule()
    }))

  async function writeWaiting(): Promise<void> {
    const entries = buffer.takeAll()
    for (const [organization, count] of countByOrganization(entries))
      untrimmed.set(organization, (untrimmed.get(organization) ?? 0) + count)
    const trimmed = [...untrimmed].filter(([, count]) => count >= trimAfter).map(([organization]) => organization)
    try {
      await storeRequests(directDatabase, entries, trimmed)
      for (const organization of trimmed) untrimmed.delete(organization)
    } catch (err) {
      log.warn({ err, requests: entries.length }, 'requests wait to be noted')
      buffer.putBack(entries)
    }
    if (buffer.dropped > reportedDrops)
      log.warn({ requests: buffer.dropped - reportedDrops }, 'requests were not noted: too many wait')
    reportedDrops = buffer.dropped
  }

  return {
    record(request) {
      const entry = createEntry(request)
      if (!entry) return
      buffer.add(entry)
      if (!timer && !writing) schedule()
    },
    countDropped: () => buffer.dropped,
    async stop() {
      await writing
      if (buffer.size > 0) await write()
      clearTimeout(timer)
    },
  }
}

/** Creates the entry of a request; null if no organization has sent it. */
function createEntry(request: AnsweredRequest): RequestEntry | null {
  const { caller, operation, status, code = null, requestId, isPublicPage } = request
  if (operation === '' || isPublicPage) return null
  if (caller?.kind !== 'key' && caller?.kind !== 'member') return null
  const { organization } = caller
  if (organization === null) return null
  const ms = Math.round(request.seconds * 1_000)
  const credential = caller.kind === 'key' ? caller.id : caller.user
  return { organization, atMs: Date.now() - ms, operation, status, code, ms, requestId, kind: caller.kind, credential }
}
