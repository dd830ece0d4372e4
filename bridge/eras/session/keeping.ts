import { isRecord } from '../../../tools/openapi.ts'
import type { Methods } from '../../methods/methods.ts'
import type { Sealer } from '../../seal.ts'
import { Sessions, type Limits } from '../../sessions.ts'
import type { Shared } from '../../shared.ts'
import type { Questions } from './questions.ts'
import { newState, openState, sealState, type SessionState } from './revive.ts'
import type { Revision } from './revisions.ts'
import { Session } from './session.ts'

export interface KeepingParts {
  readonly methods: Methods
  readonly questions: Questions
  readonly sealer: Sealer
  readonly shared: Shared
  readonly limits?: Limits | undefined
}

/**
 * The sessions that this process works for. One that it does not know it begins again from what the id says: another
 * process began it, or this one before it was started anew, or before the session made room for others.
 */
export class Keeping {
  readonly #parts: KeepingParts
  readonly #sessions: Sessions<Session>
  /** As the processes call them. */
  readonly #named = new Map<string, Session>()
  /** Those that are being begun again, by id. */
  readonly #reviving = new Map<string, Promise<Session>>()

  constructor(parts: KeepingParts) {
    this.#parts = parts
    this.#sessions = new Sessions(parts.limits)
    parts.shared.onTold((name, message) => this.#told(name, message))
    parts.shared.onBack(() => void this.#forgetEnded())
  }

  /** Sessions that are in memory now. */
  get size(): number {
    return this.#sessions.size
  }

  all(): Session[] {
    return this.#sessions.all()
  }

  /** It is in use now. */
  touch(id: string): void {
    this.#sessions.touch(id)
  }

  closeAll(): void {
    this.#sessions.closeAll()
  }

  /** A new session, which counts from its `initialize` on; null where there is no room. */
  async begin(revision: Revision, params: unknown, owner: string): Promise<Session | null> {
    if (!this.#sessions.makeRoom(owner)) return null
    const state = newState(revision, params)
    const session = this.#make(sealState(this.#parts.sealer, state, owner), owner, state)
    await session.connect()
    return session
  }

  /** The one in memory; null: it may be there all the same. */
  known(id: string, owner: string): Session | null {
    const session = this.#sessions.find(id, owner)
    if (!session?.isOver) return session
    session.close()
    return null
  }

  /** The session of an id. `none`: there is none, or it is somebody else's; `full`: there is no room for it. */
  async find(id: string, owner: string): Promise<Session | 'none' | 'full'> {
    const { sealer, shared } = this.#parts
    const state = openState(sealer, id, owner)
    if (!state || (await shared.isEnded(state.name))) return 'none'
    // Another request of the session may have begun it meanwhile.
    const other = this.#sessions.find(id, owner) ?? this.#reviving.get(id)
    if (other) return await other
    if (!this.#sessions.makeRoom(owner)) return 'full'
    const session = this.#make(id, owner, state)
    const reviving = session.revive().then(() => session)
    this.#reviving.set(id, reviving)
    try {
      return await reviving
    } finally {
      this.#reviving.delete(id)
    }
  }

  /** Ends a session at all processes, whether this one knows it or not. False where there is none. */
  async end(id: string, owner: string): Promise<boolean> {
    const { sealer, shared } = this.#parts
    const state = openState(sealer, id, owner)
    if (!state || (await shared.isEnded(state.name))) return false
    await shared.endSession(state.name, state.until - Math.floor(Date.now() / 1000) + 1)
    this.#named.get(state.name)?.close()
    return true
  }

  #make(id: string, owner: string, state: SessionState): Session {
    const { methods, questions } = this.#parts
    const ended = () => {
      this.#sessions.remove(id)
      this.#named.delete(state.name)
    }
    return new Session(id, owner, state, { methods, questions, ended }, (session) => {
      this.#sessions.add(session)
      this.#named.set(state.name, session)
    })
  }

  /** What another process heard of a session. */
  #told(name: string, message: unknown): void {
    const session = this.#named.get(name)
    if (!session || !isRecord(message)) return
    const { ended, cancelled } = message
    if (ended !== undefined) session.close()
    else if (typeof cancelled === 'string' || typeof cancelled === 'number') session.cancel(cancelled)
  }

  /** Sessions may have ended elsewhere while nothing was heard of it. */
  async #forgetEnded(): Promise<void> {
    for (const session of this.#sessions.all())
      if (await this.#parts.shared.isEnded(session.state.name)) session.close()
  }
}
