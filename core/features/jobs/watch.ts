import type { Knex } from 'knex'
import type { Notices } from '../../kernel/parts.ts'
import { gather } from '../../queue/gather.ts'
import { readJobs, type JobRow } from '../../queue/rows.ts'

/** Followers of a job hear of a change at most this often, in milliseconds; the last change is always heard. */
const spacing = 100

interface Followed {
  followers: Set<() => void>
  /** The row as it is now, read once for all who follow; dropped with every change. */
  row: Promise<JobRow | undefined> | undefined
  toldAt: number
  timer: NodeJS.Timeout | undefined
}

/** Who follows which job in this process: one listener and one read a change, however many streams. */
export class JobWatch {
  readonly #followed = new Map<string, Followed>()
  readonly #load: (id: string) => Promise<JobRow | undefined>

  constructor(db: Knex, notices: Notices) {
    this.#load = gather<string, JobRow | undefined>(async (ids) => {
      const rows = new Map((await readJobs(db, [...new Set(ids)])).map((row) => [row.id, row]))
      return ids.map((id) => rows.get(id))
    })
    notices.on('job', (id) => {
      for (const changed of id === '' ? this.#followed.values() : [this.#followed.get(id)]) if (changed) tell(changed)
    })
  }

  read(id: string): Promise<JobRow | undefined> {
    const followed = this.#followed.get(id)
    if (!followed) return this.#load(id)
    if (followed.row) return followed.row
    const row = this.#load(id)
    followed.row = row
    row.catch(() => { if (followed.row === row) followed.row = undefined })
    return row
  }

  /** Calls back at each change. @returns what ends it */
  follow(id: string, changed: () => void): () => void {
    const followed = this.#followed.get(id) ?? { followers: new Set(), row: undefined, toldAt: 0, timer: undefined }
    this.#followed.set(id, followed)
    followed.followers.add(changed)
    return () => {
      followed.followers.delete(changed)
      if (followed.followers.size > 0 || this.#followed.get(id) !== followed) return
      clearTimeout(followed.timer)
      this.#followed.delete(id)
    }
  }

  /** How many jobs are followed, for tests of leaks. */
  get size(): number {
    return this.#followed.size
  }
}

function tell(followed: Followed): void {
  followed.row = undefined
  if (followed.timer) return
  const wait = Math.max(0, followed.toldAt + spacing - performance.now())
  followed.timer = setTimeout(() => {
    followed.timer = undefined
    followed.toldAt = performance.now()
    followed.row = undefined
    for (const changed of [...followed.followers]) changed()
  }, wait)
}
