import { isRecord } from '../../../tools/openapi.ts'
import type { McpMethods } from '../methods/methods.ts'
import type { Sealer } from '../../shared/seal.ts'
import { SessionCache, type SessionLimits } from '../../shared/session-cache.ts'
import type { SharedState } from '../../shared/shared-state.ts'
import type { PendingElicitations } from './pending-elicitations.ts'
import { createSessionState, openSessionState, sealSessionState, type SessionState } from './session-state.ts'
import type { Revision } from './revisions.ts'
import { Session } from './session.ts'

export interface SessionRegistryOptions {
  readonly methods: McpMethods
  readonly pendingElicitations: PendingElicitations
  readonly sealer: Sealer
  readonly shared: SharedState
  readonly limits?: SessionLimits | undefined
}

/**
 * The sessions in the memory of this process. A session that is not in memory is revived from its id: another process
 * began it, or this process restarted, or the session was evicted to make room for others.
 */
export class SessionRegistry {
  readonly #options: SessionRegistryOptions
  readonly #sessions: SessionCache<Session>
  /** The sessions by the name that the processes use. */
  readonly #sessionsByName = new Map<string, Session>()
  /** The sessions that are being revived, by id. */
  readonly #revivals = new Map<string, Promise<Session>>()

  constructor(options: SessionRegistryOptions) {
    this.#options = options
    this.#sessions = new SessionCache(options.limits)
    options.shared.onNotice((name, message) => this.#handleNotice(name, message))
    options.shared.onReconnect(() => void this.#closeEnded())
  }

  /** The number of sessions in memory. */
  get size(): number {
    return this.#sessions.size
  }

  listSessions(): Session[] {
    return this.#sessions.all()
  }

  /** Marks a session as used now. */
  touch(id: string): void {
    this.#sessions.touch(id)
  }

  closeAll(): void {
    this.#sessions.closeAll()
  }

  /** Creates a session, which is stored once it gets `initialize`; null if there is no room. */
  async createSession(
    revision: Revision,
    params: unknown,
    callerHash: string,
    instructions: string,
  ): Promise<Session | null> {
    if (!this.#sessions.makeRoom(callerHash)) return null
    const state = createSessionState(revision, params)
    const id = sealSessionState(this.#options.sealer, state, callerHash)
    const session = this.#buildSession(id, callerHash, state, instructions)
    await session.connect()
    return session
  }

  /** Returns the session if it is in memory; null does not mean that it does not exist. */
  getSession(id: string, callerHash: string): Session | null {
    const session = this.#sessions.find(id, callerHash)
    if (!session?.hasExpired) return session
    session.close()
    return null
  }

  /** Finds or revives a session. `none`: it does not exist or belongs to another caller; `full`: there is no room. */
  async findSession(id: string, callerHash: string): Promise<Session | 'none' | 'full'> {
    const { sealer, shared } = this.#options
    const state = openSessionState(sealer, id, callerHash)
    if (!state || (await shared.isEnded(state.name))) return 'none'
    // Another request of the session may have revived it meanwhile.
    const other = this.#sessions.find(id, callerHash) ?? this.#revivals.get(id)
    if (other) return await other
    if (!this.#sessions.makeRoom(callerHash)) return 'full'
    const session = this.#buildSession(id, callerHash, state, '')
    const reviving = session.revive().then(() => session)
    this.#revivals.set(id, reviving)
    try {
      return await reviving
    } finally {
      this.#revivals.delete(id)
    }
  }

  /** Ends a session in all processes, whether this process knows it or not. Returns false if there is none. */
  async endSession(id: string, callerHash: string): Promise<boolean> {
    const { sealer, shared } = this.#options
    const state = openSessionState(sealer, id, callerHash)
    if (!state || (await shared.isEnded(state.name))) return false
    await shared.endSession(state.name, state.expiresAtSeconds - Math.floor(Date.now() / 1000) + 1)
    this.#sessionsByName.get(state.name)?.close()
    return true
  }

  #buildSession(id: string, callerHash: string, state: SessionState, instructions: string): Session {
    const { methods, pendingElicitations } = this.#options
    const onEnd = () => {
      this.#sessions.remove(id)
      this.#sessionsByName.delete(state.name)
    }
    const serverInfo = methods.getServerInfo()
    const sessionOptions = { methods, pendingElicitations, onEnd, serverInfo, instructions }
    return new Session(id, callerHash, state, sessionOptions, (session) => {
      this.#sessions.add(session)
      this.#sessionsByName.set(state.name, session)
    })
  }

  /** Handles a notice from another process about a session. */
  #handleNotice(name: string, message: unknown): void {
    const session = this.#sessionsByName.get(name)
    if (!session || !isRecord(message)) return
    const { ended, cancelled } = message
    if (ended !== undefined) session.close()
    else if (typeof cancelled === 'string' || typeof cancelled === 'number') session.cancel(cancelled)
  }

  /** Closes sessions that ended in other processes while Redis was away. */
  async #closeEnded(): Promise<void> {
    for (const session of this.#sessions.all())
      if (await this.#options.shared.isEnded(session.state.name)) session.close()
  }
}
