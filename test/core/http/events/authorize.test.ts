import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { checkIntervalMs, StreamAuthorizer } from '../../../../core/http/events/authorize.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { AuthenticationResult, Identity } from '../../../../core/kernel/ports/identity.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'

const createCaller = (id: string): Caller => ({
  kind: 'key',
  application: null,
  id,
  organization: 'o',
  permissions: { dpp: ['read'] },
})

describe('Event streams (SSE): the callers of open ones', () => {
  /** What is answered for each key now, and for which keys it was looked up. */
  let callers: Map<string, Caller>
  let lookups: string[]
  let isAway: boolean
  /** What an answer waits for. */
  let held: Promise<void>
  let endCredential: (isConcerned: (caller: Caller) => boolean) => void
  let warnings: string[]
  let authorizer: StreamAuthorizer

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
    ;[callers, lookups, isAway, warnings, held] = [new Map(), [], false, [], Promise.resolve()]
    const identity = {
      authenticate: async ({ 'x-api-key': key }: Record<string, string>): Promise<AuthenticationResult> => {
        lookups.push(String(key))
        await held
        if (isAway) throw new Error('the database is away')
        const caller = callers.get(String(key))
        const credential = { credential: null, cameInCookie: false }
        if (caller) return { caller, ...credential }
        return {
          caller: { kind: 'anonymous' },
          ...credential,
          problem: createProblem('AUTH_INVALID_API_KEY', 'No such key.'),
        }
      },
      onCredentialEnded: (listener: typeof endCredential) => {
        endCredential = listener
        return () => undefined
      },
    } as unknown as Identity
    authorizer = new StreamAuthorizer(identity, pino({}, { write: (line: string) => void warnings.push(line) }))
  })
  afterEach(() => mock.timers.reset())

  /** Opens a stream for a key that is in order. */
  function open(key: string): PassThrough {
    const [stream, caller] = [new PassThrough(), callers.get(key) ?? createCaller(key)]
    callers.set(key, caller)
    authorizer.watchStream(stream, caller, { 'x-api-key': key }, 'member')
    return stream
  }

  it('are checked when their credential ends: its streams end, those of others go on', async () => {
    const [first, second, other] = [open('one'), open('one'), open('other')]
    callers.delete('one')
    endCredential((caller) => caller.kind === 'key' && caller.id === 'one')
    expect(await Promise.all([text(first), text(second)])).to.deep.equal(['', ''])
    expect([lookups, other.writable]).to.deep.equal([['one'], true])
  })

  it('are all checked every four seconds, each credential once, and end with what they may do', async () => {
    const [changed, twin, same] = [open('one'), open('one'), open('other')]
    callers.set('one', { ...createCaller('one'), permissions: {} } as Caller)
    mock.timers.tick(checkIntervalMs)
    expect(await Promise.all([text(changed), text(twin)])).to.deep.equal(['', ''])
    expect([lookups.sort(), same.writable]).to.deep.equal([['one', 'other'], true])
  })

  it('are cut off a second after the end if they do not read the rest', async () => {
    const stream = open('one')
    stream.write('unread')
    callers.delete('one')
    endCredential(() => true)
    await once(stream, 'finish')
    expect(stream.destroyed).to.equal(false)
    mock.timers.tick(1_000)
    expect(stream.destroyed).to.equal(true)
  })

  it('stay, with a line in the log, while nobody can say who they are', async () => {
    const stream = open('one')
    isAway = true
    for (const round of [1, 2]) {
      mock.timers.tick(checkIntervalMs)
      await setImmediate()
      expect([stream.writable, warnings.length]).to.deep.equal([true, round])
    }
    expect(warnings[0]).to.contain('the callers of event streams were not judged').and.to.contain('database is away')
  })

  it('are checked again only when the check before is over', async () => {
    open('one')
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    for (let time = 0; time < 3; time++) {
      mock.timers.tick(checkIntervalMs)
      await setImmediate()
    }
    expect(lookups).to.deep.equal(['one'])
    resolve()
    await setImmediate()
    mock.timers.tick(checkIntervalMs)
    expect(lookups).to.deep.equal(['one', 'one'])
  })

  it('are checked eight credentials at a time', async () => {
    for (let at = 0; at < 20; at++) open(`key-${at}`)
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    mock.timers.tick(checkIntervalMs)
    await setImmediate()
    expect(lookups).to.have.length(8)
    resolve()
    await setImmediate()
    expect(new Set(lookups).size).to.equal(20)
  })

  it('are checked also if the notice concerns only one of those with the same credential', async () => {
    const former = open('one')
    callers.set('one', createCaller('renamed'))
    const renamed = open('one')
    endCredential((caller) => caller.kind === 'key' && caller.id === 'renamed')
    expect([await text(former), lookups, renamed.writable]).to.deep.equal(['', ['one'], true])
  })

  it('are checked on when another with the same credential has gone', async () => {
    const [gone, other] = [open('one'), open('one')]
    gone.destroy()
    await once(gone, 'close')
    callers.delete('one')
    mock.timers.tick(checkIntervalMs)
    expect([await text(other), lookups]).to.deep.equal(['', ['one']])
  })

  it('are checked on when one of them has gone', async () => {
    const [gone, other] = [open('one'), open('other')]
    gone.destroy()
    await once(gone, 'close')
    callers.delete('other')
    mock.timers.tick(checkIntervalMs)
    expect([await text(other), lookups]).to.deep.equal(['', ['other']])
  })

  it('are checked no more when all have gone, and again when one comes', async () => {
    const stream = open('one')
    stream.destroy()
    await once(stream, 'close')
    mock.timers.tick(checkIntervalMs)
    endCredential(() => true)
    expect(lookups).to.deep.equal([])
    open('one')
    mock.timers.tick(checkIntervalMs)
    expect(lookups).to.deep.equal(['one'])
  })
})
