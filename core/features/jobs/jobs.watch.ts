import type { Knex } from 'knex'
import type { Notices } from '../../kernel/ports/notices.ts'
import { batchCalls } from '../../queue/batch-calls.ts'
import { readJobs, type JobRow } from '../../queue/engine/rows.ts'

/**
 * Shortest time between two notifications of a job's followers, in milliseconds; the last change is always notified.
 */
const minNotifyIntervalMs = 100

interface FollowedJob {
  followers: Set<() => void>
  /** The current row, read once for all followers and dropped at every change. */
  row: Promise<JobRow | undefined> | undefined
  notifiedAt: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Followers of jobs in this process. All streams share one listener and, at each change of a job, one read of its row.
 */
export class JobWatch {
  readonly #followedJobs = new Map<string, FollowedJob>()
  readonly #loadJob: (id: string) => Promise<JobRow | undefined>

  constructor(db: Knex, notices: Notices) {
    this.#loadJob = batchCalls<string, JobRow | undefined>(async (ids) => {
      const rows = new Map((await readJobs(db, [...new Set(ids)])).map((row) => [row.id, row]))
      return ids.map((id) => rows.get(id))
    })
    notices.subscribe('job', (id) => {
      for (const changed of id === '' ? this.#followedJobs.values() : [this.#followedJobs.get(id)])
        if (changed) notifyFollowers(changed)
    })
  }

  readJob(id: string): Promise<JobRow | undefined> {
    const followed = this.#followedJobs.get(id)
    if (!followed) return this.#loadJob(id)
    if (followed.row) return followed.row
    const row = this.#loadJob(id)
    followed.row = row
    row.catch(() => {
      if (followed.row === row) followed.row = undefined
    })
    return row
  }

  /** Calls `onChange` at each change of the job. @returns a function that ends this */
  followJob(id: string, onChange: () => void): () => void {
    const followed = this.#followedJobs.get(id) ?? {
      followers: new Set(),
      row: undefined,
      notifiedAt: 0,
      timer: undefined,
    }
    this.#followedJobs.set(id, followed)
    followed.followers.add(onChange)
    return () => {
      followed.followers.delete(onChange)
      if (followed.followers.size > 0 || this.#followedJobs.get(id) !== followed) return
      clearTimeout(followed.timer)
      this.#followedJobs.delete(id)
    }
  }

  /** Number of jobs that are followed, for tests that look for leaks. */
  get size(): number {
    return this.#followedJobs.size
  }
}

function notifyFollowers(followed: FollowedJob): void {
  followed.row = undefined
  if (followed.timer) return
  const delayMs = Math.max(0, followed.notifiedAt + minNotifyIntervalMs - performance.now())
  followed.timer = setTimeout(() => {
    followed.timer = undefined
    followed.notifiedAt = performance.now()
    followed.row = undefined
    for (const changed of [...followed.followers]) changed()
  }, delayMs)
}
