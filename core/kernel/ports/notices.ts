import type { Knex } from 'knex'

/** LISTEN and NOTIFY of PostgreSQL. A process needs one connection for any number of subscribers. */
export interface Notices {
  subscribe(channel: string, listener: (payload: string) => void): () => void
  /**
   * Sends a notice in the caller's transaction; subscribers receive it after the commit. Maximum payload: 7,900 bytes.
   */
  notify(trx: Knex, channel: string, payload: string): Promise<void>
  /** Number by which other processes can see that this process is alive, or null while they cannot. */
  readonly processNumber: number | null
  /**
   * Returns true if the process with this number is gone. A process that lost its connection counts as gone until it
   * has reconnected.
   */
  isProcessGone(db: Knex, number: number): Promise<boolean>
}
